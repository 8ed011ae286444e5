"""A U-Net as nnU-Net builds it: two convolutions per level on the way down and on the way up."""

from monai.networks.nets.dynunet import DynUNet
from torch import nn

MULTIPLE = 4
"""Every side of an input is halved twice."""


def build(dimensions: int, channels: int, outputs: int, width: int) -> nn.Module:
    """Return the network; `width` is its number of channels at the finest level."""
    return DynUNet(
        spatial_dims=dimensions,
        in_channels=channels,
        out_channels=outputs,
        kernel_size=[3, 3, 3],
        strides=[1, 2, 2],
        upsample_kernel_size=[2, 2],
        filters=[width, 2 * width, 4 * width],
        norm_name=("INSTANCE", {"affine": True}),
    )
