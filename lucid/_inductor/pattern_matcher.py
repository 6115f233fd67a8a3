"""torch._inductor.pattern_matcher: a part of torch's compiler of kernels, which lucid does not have."""

from .._base.refused import refuse

globals().update(
    refuse(
        "torch._inductor.pattern_matcher",
        """PatternMatcherPass PatternExpr CallFunction KeywordArg Arg Ignored Match fwd_only joint_fwd_bwd
        register_replacement register_graph_pattern
        register_lowering_pattern stable_topological_sort""",
        "patterns of graphs; torch.fx.replace_pattern works",
    )
)
