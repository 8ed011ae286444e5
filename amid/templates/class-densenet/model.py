"""A small DenseNet: every layer of a block sees the outputs of all layers before it."""

from monai.networks.nets.densenet import DenseNet
from torch import nn


def build(dimensions: int, channels: int, classes: int, width: int) -> nn.Module:
    """Return the network; `width` is how many channels each layer adds."""
    return DenseNet(
        spatial_dims=dimensions,
        in_channels=channels,
        out_channels=classes,
        init_features=2 * width,
        growth_rate=width,
        block_config=(3, 4, 4, 3),
        norm="batch",
    )
