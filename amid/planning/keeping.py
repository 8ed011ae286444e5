"""Which templates keep training images inside their models."""

KEEPS_IMAGES = frozenset({"atlas-fusion"})
"""Templates whose model files hold training images that could be read back out of them."""
