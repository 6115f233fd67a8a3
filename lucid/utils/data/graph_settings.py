"""torch.utils.data.graph_settings: graphs of DataPipes, which lucid does not look at."""

from ..._base.refused import refuse

globals().update(
    refuse(
        "torch.utils.data.graph_settings",
        "apply_random_seed apply_sharding apply_shuffle_seed apply_shuffle_settings get_all_graph_pipes",
        "graphs of DataPipes",
    )
)
