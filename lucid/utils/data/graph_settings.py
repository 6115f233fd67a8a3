"""torch.utils.data.graph_settings: settings of pipelines of DataPipes, which lucid does not have."""

__all__ = ["apply_shuffle_settings"]


def apply_shuffle_settings(datapipe, shuffle=None):
    """apply_shuffle_settings(datapipe, shuffle=None) -> datapipe: datasets here have no shuffler."""
    return datapipe
