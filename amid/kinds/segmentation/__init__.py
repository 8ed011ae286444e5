"""Segmentation: every voxel of an image gets a label; a prediction is a label map on its grid."""
