"""A small U-Net: one convolution per level on the way down, and one on the way up."""

from monai.networks.nets.unet import UNet
from torch import nn

MULTIPLE = 4
"""Every side of an input is halved twice."""


def build(dimensions: int, channels: int, outputs: int, width: int) -> nn.Module:
    """Return the network; `width` is its number of channels at the finest level."""
    return UNet(
        spatial_dims=dimensions,
        in_channels=channels,
        out_channels=outputs,
        channels=(width, 2 * width, 4 * width, 8 * width),
        strides=(1, 2, 2),
        num_res_units=0,
        act="LEAKYRELU",
        norm="INSTANCE",
    )
