"""torch.compile's mode and options: names and errors of torch's, kernels in other forms, memory kept, passes."""

import threading
import types

import numpy as np
import pytest
import torch
import torch._inductor.config
from both import BOTH, same, same_outcome

import lucid
import lucid._inductor.config as settings
from lucid._codegen import build, store
from lucid._codegen.c_nest import Form, forms
from lucid._codegen.targets import Text, target
from lucid._inductor import compile_fx, tuning
from lucid._inductor.lowering import Lowered
from lucid._inductor.wrapper import Wrapper
from lucid.fx.experimental.proxy_tensor import make_fx

C, CPU = target("c"), lucid.device("cpu")
needs_compiler = pytest.mark.skipif(build.compiler() is None, reason="no C compiler")


@pytest.fixture(autouse=True)
def fresh():
    for m in BOTH:
        m._dynamo.reset()


# ---- names, defaults and errors


def test_every_setting_of_torchs_is_there_with_its_default():
    wanted = torch._inductor.config.get_config_copy()
    assert set(settings.get_config_copy()) == set(wanted) == set(lucid._inductor.list_options())
    machine = ("_dir", "_root", "_home", "cxx", "compile_threads", "_path", "trace.enabled", "_toolchain")
    different = [
        n
        for n, v in wanted.items()
        if settings.get_config_copy()[n] != v and not callable(v) and not n.endswith(machine) and "fb" not in n
    ]
    assert len(different) < 6, different


def test_functorchs_settings():
    import torch._functorch.config

    wanted = torch._functorch.config.get_config_copy()
    found = lucid._functorch.config.get_config_copy()
    assert set(wanted) == set(found) and [n for n in wanted if wanted[n] != found[n]] == []


@pytest.mark.parametrize("mode", [None, *torch._inductor.list_mode_options(), "no such"])
def test_options_of_a_mode(mode):
    same_outcome(lambda m: m._inductor.list_mode_options(mode))


USES = {
    "unknown name": lambda c: c.nope,
    "set an unknown name": lambda c: setattr(c, "nope", 1),
    "unknown name of a section": lambda c: c.triton.nope,
    "set an unknown name of a section": lambda c: setattr(c.triton, "nope", 1),
    "patch an unknown name": lambda c: c.patch("nope", 1).__enter__(),
    "type": lambda c: (c.get_type("triton.cudagraphs"), c.get_type("cpp.threads")),
}


@pytest.mark.parametrize("use", USES)
def test_use_of_settings(use):
    same_outcome(lambda m: USES[use](m._inductor.config))


def test_patches_end():
    def program(m):
        c = m._inductor.config
        with c.patch("max_autotune", True), c.patch({"triton.cudagraphs": True}), c.patch(epilogue_fusion=False):
            yield c.max_autotune, c.triton.cudagraphs, c.epilogue_fusion
        yield c.max_autotune, c.triton.cudagraphs, c.epilogue_fusion

        @c.patch(max_autotune=True)
        def inside():
            return c.max_autotune

        yield inside(), inside(), c.max_autotune
        kept = c.save_config()
        c.max_autotune = True
        c.load_config(kept)
        yield c.max_autotune

    same(lambda m: list(program(m)))


HOW = {
    "mode": dict(mode="no such"),
    "option": dict(options={"no_such": 1}),
    "type": dict(options={"max_autotune": 1}),
    "type of a section": dict(options={"cpp.threads": "2"}),
    "dashes": dict(options={"max-autotune": False}),
    "both": dict(mode="default", options={"max_autotune": True}),
    "disabled": dict(mode="no such", disable=True),
    "another backend's": dict(mode="no such", backend="eager"),
    "another backend's options": dict(options={"no_such": 1}, backend="aot_eager"),
}


@pytest.mark.parametrize("how", HOW)
def test_refusals_are_torchs(how):
    def program(m):
        try:
            compiled = m.compile(lambda x: x + 1, **HOW[how])
        except Exception as error:
            return type(error).__name__, str(error).split("[")[0]
        return compiled(m.ones(2)) if "backend" in HOW[how] else "taken"

    same(program)


def test_a_backend_is_told_mode_and_options():
    def program(m):
        told = []

        def backend(gm, inputs, **how):
            told.append(how)
            return gm.forward

        for how in ({}, {"mode": "default"}, {"mode": "max-autotune"}, {"options": {"a": 1}}):
            m._dynamo.reset()
            m.compile(lambda x: x + 1, backend=backend, **how)(m.ones(2))
        return told

    same(program)


# ---- what they do


def program(x, w, b):
    h = lucid.nn.functional.layer_norm(x @ w, (64,), b, b)
    return lucid.softmax(lucid.nn.functional.gelu(h), -1).sum(0), h.sum(1)


def step(f, values):
    """Results and gradients."""
    for t in values:
        t.grad = None
    found = f(*values)
    sum([t.sum() for t in found]).backward()
    return [t.detach() for t in (*found, *[t.grad for t in values])]


def values():
    lucid.manual_seed(0)
    return [lucid.randn(*shape).requires_grad_() for shape in ((128, 64), (64, 64), (64,))]


def close(got, wanted):
    for a, b in zip(got, wanted):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize("mode", lucid._inductor.list_mode_options())
def test_modes_give_eagers_values(mode, monkeypatch, tmp_path):
    monkeypatch.setenv("LUCID_CACHE", str(tmp_path))
    given = values()
    wanted = step(program, given)
    compiled = lucid.compile(program, mode=mode)
    for _ in range(3):
        close(step(compiled, given), wanted)


def test_modules_take_modes():
    model = lucid.nn.Sequential(lucid.nn.Linear(8, 8), lucid.nn.GELU())
    x = lucid.randn(4, 8)
    wanted = model(x).detach()
    close([lucid.compile(model, mode="reduce-overhead")(x).detach()], [wanted])
    close([lucid.compile(options={"triton.cudagraphs": True})(lambda x: model(x))(x).detach()], [wanted])
    model.compile(mode="max-autotune")
    close([model(x).detach()], [wanted])


CHAINS = {
    "rows": lambda x, y: lucid.softmax(x * y, -1),
    "columns": lambda x, y: (x * y).sum(0),
    "both": lambda x, y: (x.sum(0), x.amax(1), y + 1),
    "turned": lambda x, y: x.t().contiguous() + y.t(),
    "variance": lambda x, y: (x - x.mean(0)) / (x.var(0) + 1).sqrt() + y,
    "greatest": lambda x, y: (x.amax(0), (x + y).amin(1)),
}


@needs_compiler
@pytest.mark.parametrize("chain", CHAINS)
def test_all_forms_of_a_kernel_agree(chain):
    f, inputs = CHAINS[chain], [lucid.randn(300, 70), lucid.randn(300, 70)]
    graph = make_fx(f, tracing_mode="fake")(*inputs)
    lowered = Lowered(graph, inputs, C.words)
    usual = Wrapper(lowered, C, CPU)
    wanted = usual.load()(list(inputs))
    count = max(len(forms(part.nest)) for part in usual.parts)
    assert count >= 2
    texts = {usual.kernels}
    for n in range(1, count):
        chosen = {p.text.name: forms(p.nest)[n] for p in usual.parts if len(forms(p.nest)) > n}
        other = Wrapper(lowered, C, CPU, chosen)
        texts.add(other.kernels)
        close(other.load()(list(inputs)), wanted)
    assert len(texts) >= 2, "no other form"


@needs_compiler
def test_forms_are_timed_once_and_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("LUCID_CACHE", str(tmp_path))
    x = lucid.randn(256, 256)
    graph = make_fx(lambda x: (x.sum(0), x.exp()), tracing_mode="fake")(x)
    wrapper = Wrapper(Lowered(graph, [x], C.words), C, CPU)
    timed = []
    original = tuning._quickest
    monkeypatch.setattr(tuning, "_quickest", lambda found: timed.append([f for f, *_ in found]) or found[-1][0])
    first = tuning.best_forms(wrapper)
    assert timed and all(len(found) >= 2 and found[0] == Form() for found in timed)
    assert first == tuning.best_forms(wrapper) and len(timed) == len(wrapper.parts)
    assert set(first) == {p.text.name for p in wrapper.parts}
    (part, *_) = wrapper.parts
    store.put(tuning._key(part), b"[no form")
    tuning.best_forms(wrapper)
    assert len(timed) == len(wrapper.parts) + 1, "what cannot be read is found anew"
    monkeypatch.setattr(tuning, "_quickest", original)
    store.clear()
    assert set(tuning.best_forms(wrapper)) <= {p.text.name for p in wrapper.parts}


def test_the_quickest_form_is_taken():
    class Timer:
        def __init__(self, kernel, args):
            self.best = kernel

        def sample(self):
            pass

    part = types.SimpleNamespace(text=Text("k", "", [], False, frozenset()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuning, "_Timer", Timer)
        patch.setattr(tuning, "work_of", lambda part: 1)
        assert tuning._quickest([(Form(), 10, part), (Form(block=1), 5, part), (Form(block=2), 7, part)]).block == 1
        assert tuning._quickest([(Form(), 10, part), (Form(block=1), 9.9, part)]) == Form()


@needs_compiler
def test_memory_is_kept_between_calls_and_never_a_results():
    def f(x, w):
        h = lucid.nn.functional.gelu(x @ w)
        return (h @ w).relu(), h[:2]

    x, w = lucid.randn(64, 64), lucid.randn(64, 64)
    graph = make_fx(f, tracing_mode="fake")(x, w)
    wrapper = Wrapper(Lowered(graph, [x, w], C.words), C, CPU, keeps=True)
    plain = Wrapper(
        Lowered(make_fx(lambda x, w: ((x @ w).exp() @ w).exp(), tracing_mode="fake")(x, w), [x, w], C.words),
        C,
        CPU,
        None,
        True,
    )
    assert plain.slots and "kept.take()" in plain.source
    run = wrapper.load()
    first = run([x, w])
    copies = [t.clone() for t in first]
    run([x + 1, w])
    close(first, copies)
    assert all(not a.is_set_to(b) for a, b in zip(first, run([x, w])))


@needs_compiler
def test_kept_memory_is_each_callers_own():
    f = lucid.compile(lambda x, w: ((x @ w).exp() @ w).sum(), mode="reduce-overhead")
    w = lucid.randn(64, 64) / 64
    inputs = [lucid.full((64, 64), float(n)) for n in range(4)]
    wanted = [f(x, w).item() for x in inputs]
    found = [[] for _ in inputs]

    def work(n):
        for _ in range(50):
            found[n].append(f(inputs[n], w).item())

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert all(set(values) == {want} for values, want in zip(found, wanted))


# ---- passes of the program's own


def test_passes_see_torchs_graphs():
    def program(m):
        seen = []

        def noted(name):
            def change(graph):
                seen.append((name, [str(n.target) for n in graph.nodes if n.op == "call_function"]))

            return change

        names = ("joint_custom_pre_pass", "joint_custom_post_pass", "post_grad_custom_pre_pass")
        x = m.ones(3, 4, requires_grad=True)
        with m._inductor.config.patch({n: noted(n) for n in names} | {"fx_graph_cache": False}):
            m.compile(lambda x: x.sin() * x)(x).sum().backward()
        return seen

    same(program)


def test_a_pass_changes_the_program():
    def program(m):
        def cosine(graph):
            for node in graph.nodes:
                if node.target is m.ops.aten.sin.default:
                    node.target = m.ops.aten.cos.default
            return graph

        with m._inductor.config.patch(post_grad_custom_post_pass=cosine, fx_graph_cache=False):
            return m.compile(lambda x: x.sin() * 2)(m.arange(3.0))

    same(program, rtol=1e-6)


def test_new_nodes_of_a_pass_need_no_values():
    aten = lucid.ops.aten

    def twice(graph):
        for node in [n for n in graph.nodes if n.target is aten.sin.default]:
            with graph.inserting_after(node):
                new = graph.call_function(aten.sort.default, (node,))
            with graph.inserting_after(new):
                item = graph.call_function(lambda pair, n: pair[n], (new, 0))
            node.replace_all_uses_with(item, lambda user: user is not new)

    with settings.patch(post_grad_custom_post_pass=twice):
        x = lucid.randn(5)
        found = lucid.compile(lambda x: x.sin() * 2)(x)
    close([found], [x.sin().sort()[0] * 2])


def test_a_partitioner_of_ones_own():
    seen = []

    def cut(module, inputs, **how):
        seen.append(how["num_fwd_outputs"])
        return lucid._functorch.partitioners.default_partition(module, inputs, **how)

    x = lucid.ones(3, requires_grad=True)
    with settings.patch(custom_partitioner_fn=cut):
        lucid.compile(lambda x: (x.sin(), x.cos()))(x)[0].sum().backward()
    assert seen == [2]
    close([x.grad], [lucid.ones(3).cos()])


def test_settings_hold_for_the_backward_graph_that_is_made_later(monkeypatch):
    seen = []
    inner = compile_fx.compile_fx_inner
    monkeypatch.setattr(
        compile_fx, "compile_fx_inner", lambda *args: seen.append(settings.max_autotune_pointwise) or inner(*args)
    )
    x = lucid.ones(3, requires_grad=True)
    out = lucid.compile(lambda x: x.sin(), options={"max_autotune_pointwise": True})(x)
    assert not settings.max_autotune_pointwise
    out.sum().backward()
    assert seen == [True, True]
