"""Stopping in a graph's code."""

__all__ = ["set_trace"]


def set_trace(gm):
    """set_trace(gm) -> gm, which stops in pdb when it runs."""

    def with_pdb(before):
        return lambda body: ["import pdb; pdb.set_trace()\n", *(before(body) if before else body)]

    with gm.graph.on_generate_code(with_pdb):
        gm.recompile()
    return gm
