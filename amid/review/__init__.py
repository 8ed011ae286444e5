"""The independent reviewer: a decoder without the vault, then a scorer with it."""
