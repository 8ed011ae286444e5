"""Settings that hold for every test."""

from hypothesis import settings

# The machine is shared, so a slow example says nothing; and a failure must come again next time.
settings.register_profile("amid", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("amid")
