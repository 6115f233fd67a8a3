"""Runs a program on torch and on lucid and compares what comes out: values to the bit, layout, graph, errors,
generator."""

import torch

import lucid

torch.set_num_threads(1)


def graph(node):
    """The names in a graph, nested as its edges are."""
    if node is None:
        return "None"
    return f"{type(node).__name__}({', '.join(graph(n) for n, _ in node.next_functions)})"


def plain(value, m, tolerance=None):
    """A value in terms that can be compared between the two libraries."""
    if isinstance(value, m.Tensor):
        d = value.detach()
        d = d.float() if d.dtype in (m.bfloat16, m.float16) else d
        array = d.contiguous().numpy()
        content = array.tobytes() if tolerance is None else array
        return (
            str(value.dtype),
            tuple(value.shape),
            tuple(value.stride()),
            value.requires_grad,
            graph(value.grad_fn),
            content,
        )
    if isinstance(value, dict):
        return {k: plain(v, m, tolerance) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *[plain(v, m, tolerance) for v in value]]
    if isinstance(value, m.Generator):
        return value.get_state().numpy().tobytes()
    if isinstance(value, (m.dtype, m.device)):
        return str(value)
    return value


def outcome(program, m, seed=5, tolerance=None):
    """What program(m) gives, or the class and message of what it raises; and the generator's state afterwards."""
    m.manual_seed(seed)
    try:
        result = plain(program(m), m, tolerance)
    except Exception as error:
        return type(error).__name__, str(error).split("\n")[0]
    return result, m.get_rng_state().numpy().tobytes()


def same(program, name="", seed=5):
    """Assert that both libraries give the same."""
    wanted, got = (outcome(program, m, seed) for m in (torch, lucid))
    assert got == wanted, f"{name}: lucid {show(got)}, torch {show(wanted)}"


def show(result):
    """An outcome without its bytes."""
    if isinstance(result, bytes):
        return f"<{len(result)} bytes {hash(result) & 0xFFFF:x}>"
    if isinstance(result, (list, tuple)):
        return type(result)(show(r) for r in result)
    return {k: show(v) for k, v in result.items()} if isinstance(result, dict) else result
