"""torch.utils.data.graph: graphs of DataPipes, which lucid does not look at."""

from ..._base.refused import refuse

globals().update(
    refuse(
        "torch.utils.data.graph",
        "traverse traverse_dps",
        "graphs of DataPipes",
    )
)
