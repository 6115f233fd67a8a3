"""torch._inductor.utils, metrics, codecache, compile: what tests and tools ask of the compiler."""

import os

import pytest
from both import same

import lucid
import lucid._inductor.codecache
import lucid._inductor.metrics
import lucid._inductor.utils
from lucid._codegen import build
from lucid._functorch import told

utils, metrics = lucid._inductor.utils, lucid._inductor.metrics
pytestmark = pytest.mark.skipif(build.compiler() is None, reason="no C compiler")


@pytest.fixture(autouse=True)
def fresh():
    lucid._dynamo.reset()


def f(x):
    return lucid.softmax(x.exp() + 1, -1)


def test_texts_of_what_is_compiled():
    x = lucid.randn(3, 4, requires_grad=True)
    compiled = lucid.compile(f)
    result, texts = utils.run_and_get_code(compiled, x)
    assert lucid.allclose(result, f(x)) and len(texts) == 1 and "def call(args):" in texts[0]
    _, kernels = utils.run_and_get_kernels(lambda: result.sum().backward())
    assert kernels and "void kernel0(" in kernels[0]
    assert utils.run_and_get_code(compiled, x)[1] == [], "it is compiled already"
    lucid._dynamo.reset()
    assert len(utils.run_fw_bw_and_get_code(lambda: compiled(x))[1]) == 2
    lucid._dynamo.reset()
    assert "void kernel0(" in utils.run_and_get_cpp_code(compiled, x)[1]
    assert not told.WATCHERS


def test_numbers_of_what_is_compiled():
    metrics.reset()
    lucid.compile(f)(lucid.randn(3, 4))
    assert metrics.generated_kernel_count == metrics.generated_cpp_vec_kernel_count == 1
    assert metrics.ir_nodes_pre_fusion >= 3 and metrics.num_bytes_accessed == 2 * 3 * 4 * 4
    metrics.reset()
    assert metrics.generated_kernel_count == metrics.num_bytes_accessed == 0


def test_the_numbers_have_torchs_names():
    import torch._inductor.metrics

    for name in metrics._COUNTS:
        assert type(getattr(torch._inductor.metrics, name)) is int


def test_a_fresh_cache():
    before = os.environ.get("LUCID_CACHE")
    found = {}
    with utils.fresh_cache(found):
        folder = os.environ["LUCID_CACHE"]
        assert lucid._inductor.codecache.cache_dir() == folder
        lucid.compile(lambda x: x * 3 + 1)(lucid.ones(3))
    assert any(name.endswith(".so") for name in found) and not os.path.exists(folder)
    assert os.environ.get("LUCID_CACHE") == before
    with pytest.raises(ValueError):
        with utils.fresh_inductor_cache():
            raise ValueError
    assert os.environ.get("LUCID_CACHE") == before


def test_a_graph_by_itself():
    def program(m):
        import importlib

        importlib.import_module(f"{m.__name__}._inductor")
        graph = m.fx.symbolic_trace(lambda x: x.sin() * 2)
        yield m._inductor.compile(graph, [m.arange(3.0)])(m.arange(3.0))
        try:
            m._inductor.compile(graph, [m.arange(3.0)], options={"nope": 1})
        except Exception as error:
            yield "nope" in str(error)

    same(lambda m: list(program(m)), rtol=1e-6)


def test_code_hash_tells_texts_apart():
    assert lucid._inductor.codecache.code_hash("a") != lucid._inductor.codecache.code_hash("b")
    lucid._inductor.codecache.FxGraphCache.clear()
