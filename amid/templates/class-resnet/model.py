"""A small ResNet: four stages of two blocks, each of which adds to what it was given."""

from monai.networks.nets.resnet import ResNet, ResNetBlock
from torch import nn


def build(dimensions: int, channels: int, classes: int, width: int) -> nn.Module:
    """Return the network; `width` is its number of channels in the first stage."""
    return ResNet(
        ResNetBlock,
        layers=[2, 2, 2, 2],
        block_inplanes=[width, 2 * width, 4 * width, 8 * width],
        spatial_dims=dimensions,
        n_input_channels=channels,
        conv1_t_size=5,
        conv1_t_stride=2,
        num_classes=classes,
        norm=("GROUP", {"num_groups": 4}),
    )
