"""torch.ao.pruning: weights that become sparse while a model is trained, which lucid lacks."""

from .._base.refused import refuse

globals().update(
    refuse(
        "torch.ao.pruning",
        """BaseSparsifier BaseScheduler BaseStructuredSparsifier CubicSL FakeSparsity FPGMPruner LSTMSaliencyPruner
        LambdaSL NearlyDiagonalSparsifier SaliencyPruner WeightNormSparsifier get_dynamic_sparse_quantized_mapping
        get_static_sparse_quantized_mapping""",
        "sparsifiers",
    )
)
