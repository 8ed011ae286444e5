"""A residual encoder with a light decoder that upsamples by interpolation."""

from monai.networks.nets.segresnet import SegResNet
from torch import nn

MULTIPLE = 4
"""Every side of an input is halved twice."""


def build(dimensions: int, channels: int, outputs: int, width: int) -> nn.Module:
    """Return the network; `width` is its number of channels at the finest level."""
    return SegResNet(
        spatial_dims=dimensions,
        in_channels=channels,
        out_channels=outputs,
        init_filters=width,
        blocks_down=(1, 2, 2),
        blocks_up=(1, 1),
        norm=("INSTANCE", {"affine": True}),
        upsample_mode="nontrainable",
    )
