"""Every line of known_gaps.txt is asked for by a test: a name that none asks for would stand there for ever."""

import importlib

import test_autocast
import test_compile
import test_compile_models
import test_compile_ops
import test_complex_half
import test_compositions
import test_differences
import test_drawn_einsum
import test_drawn_indexing
import test_drawn_picks
import test_drawn_reductions
import test_error_inputs
import test_export
import test_export_op_db
import test_faces
import test_fake_tensors
import test_float8
import test_functions_and_hooks
import test_fx_calls
import test_fx_tracing
import test_graph
import test_halves
import test_layouts_and_saved
import test_meta
import test_module_db
import test_op_db
import test_optim_db
import test_out
import test_overrides
import test_sparse
import test_traced_again
import test_transforms
from gaps import known

DRAWN = test_drawn_indexing, test_drawn_picks, test_drawn_einsum, test_drawn_reductions
DRAWN_GAPS = [kind for file in DRAWN for kind in file.GAPS]

# kind of gap -> the names that its test may ask for
ASKED = {
    **dict.fromkeys(("values", "strides", "graph", "memory"), test_op_db.OPS),
    **dict.fromkeys(test_op_db.OTHER_TYPES, test_op_db.OPS),
    "errors": test_error_inputs.NAMES,
    **{kind: test_halves.entries(kind) for kind in test_halves.HALVES},
    **dict.fromkeys(("meta", "meta-strides"), [test_meta.key(op) for op in test_meta.OPS]),
    "fake": test_fake_tensors.OPS,
    "module": [f"{name} {mode}" for name in test_module_db.INFOS for mode in ("train", "eval")],
    "optimizer": test_optim_db.INFOS,
    **dict.fromkeys(("jvp", "vmap"), test_transforms.NAMES),
    **dict.fromkeys(("compile-graphs", "compile-text", "compile-whole"), test_compile.PROGRAMS),
    "autocast": test_autocast.OPS,
    "autocast-halves": test_autocast.OF_HALVES,
    "complex32": test_complex_half.COMPLEX,
    "composed": [f"{name} {way}" for name, way in test_compositions.CASES],
    "compile": test_compile_ops.OPS,
    "compiled-layer": test_compile_models.INFOS,
    "drawn": DRAWN_GAPS,
    "differs": test_differences.PROGRAMS,
    "float8": test_float8.OPS,
    "form": test_faces.FORMS,
    "value": test_faces.VALUES,
    "exports": test_faces.MODULES,
    "export": test_export.LACKING,
    "export_op": test_export_op_db.OPS,
    "fx": test_fx_tracing.CASES,
    "fx_call": test_fx_calls.FUNCTIONS,
    "fx_option": test_fx_calls.CALLS,
    "layout": test_layouts_and_saved.LAID_OUT,
    "no-derivative": test_graph.NO_DERIVATIVE,
    "out": test_out.OPS,
    "grown": test_out.OPS,
    "overrides": test_overrides.CASES,
    "traced": test_traced_again.OPS,
    "traced-transforms": test_traced_again.OPS,
    "sparse": [f"{op.name} {str(layout).rpartition('.')[2]}" for op, layout in test_sparse.OPS],
    "hooks": [f"{f.__name__} {r}" for f in test_functions_and_hooks.PLACES for r in test_functions_and_hooks.RETURNS],
}


def test_every_gap_is_asked_for():
    names = dict(ASKED)
    if importlib.util.find_spec("mlx") is not None:
        mlx = importlib.import_module("test_mlx")
        names |= {"mlx": [mlx.key(op) for op in mlx.OPS], "mlx-errors": [mlx.key(op) for op in mlx.REFUSING]}
    else:
        names |= {"mlx": None, "mlx-errors": None}
    stale = []
    for line in known():
        kind, _, name = line.partition(" ")
        if kind not in names or names[kind] is not None and name not in names[kind]:
            stale.append(line)
    assert not stale
