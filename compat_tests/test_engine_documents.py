"""The forms in which the engine's own documents define ops and fusion patterns run as written."""

import numpy as np
import pytest

import lucid
from lucid._backend import binary_func_op, func_op, operation, unary_func_op
from lucid._func import bfunc, ufunc
from lucid._fusion import FusedBackwardOp, match_fusion_table
from lucid._fusion.base import _fusion_table


class triple(operation):
    @unary_func_op()
    def forward(self, a):
        self.result = lucid.Tensor(a.data * 3)
        return self.result, self.grad

    def grad(self):
        return self.result.grad * 3


class scaled(operation):
    @binary_func_op()
    def forward(self, a, b):
        self.result = lucid._check_is_tensor(a.data * b.data)
        self.operands = a, b
        return self.result, self.grad

    def grad(self):
        a, b = self.operands
        return self.result.grad * b.data, self.result.grad * a.data


class split_in_two(operation):
    @func_op(1, 2)
    def forward(self, a):
        halves = [lucid.Tensor(a.data[:2]), lucid.Tensor(a.data[2:])]
        padded = [
            lambda: lucid.cat([halves[0].grad, lucid.zeros(2)]),
            lambda: lucid.cat([lucid.zeros(2), halves[1].grad]),
        ]
        return tuple(zip(halves, padded))


@pytest.fixture(autouse=True)
def fusion():
    kept = dict(_fusion_table)
    lucid.ENABLE_FUSION = True
    yield
    lucid.ENABLE_FUSION = False
    _fusion_table.clear()
    _fusion_table.update(kept)


def gradient(f, *shape):
    x = lucid.arange(1.0, 1 + int(np.prod(shape))).reshape(shape).requires_grad_()
    f(x).sum().backward()
    return x.grad.tolist()


def test_an_op_with_one_input():
    assert gradient(lambda x: triple()(x) * x, 2) == [6.0, 12.0]


def test_an_op_with_two_inputs_that_broadcast():
    x, y = lucid.ones(3, 1, requires_grad=True), lucid.full((1, 2), 2.0, requires_grad=True)
    scaled()(x, y).sum().backward()
    assert x.grad.tolist() == [[4.0]] * 3 and y.grad.tolist() == [[3.0, 3.0]]


def test_an_op_with_two_results():
    assert gradient(lambda x: lucid.mul(*split_in_two()(x)), 4) == [3.0, 4.0, 1.0, 2.0]


def test_a_pattern_that_returns_the_results_gradient():
    fired = []

    class TripleTriple(FusedBackwardOp):
        op1 = triple
        op2 = triple

        @classmethod
        def __grad__(cls, rets):
            fired.append(cls)
            return rets[0].grad * 9

    assert gradient(lambda x: triple()(triple()(x)), 2) == [9.0, 9.0] and fired == [TripleTriple]
    for way in (triple, triple(), "triple"):
        assert match_fusion_table(way, way) is TripleTriple
    assert match_fusion_table(triple, scaled) is None


def test_a_pattern_that_reshapes_to_the_inputs_shape():
    class FlipFlip(FusedBackwardOp):
        op1 = op2 = "flip"

        @classmethod
        def __grad__(cls, ins, rets):
            v, x = rets[0], ins[0]
            return v.grad.reshape(x.shape)

    assert gradient(lambda x: x.flip(0).flip(0), 2, 3) == [[1.0] * 3] * 2


def test_a_pattern_that_computes_with_the_library_and_saved_values():
    seen = []

    class SinExp(FusedBackwardOp):
        op1, op2 = ufunc.sin, ufunc.exp

        @classmethod
        def __grad__(cls, *, ins, rets, lib_, **others):
            seen.append((ins[0].shape, rets[0].shape, set(others)))
            return rets[0].grad * rets[0].data * lib_.cos(ins[0].data)

    def f(x):
        return x.sin().exp()

    fused = gradient(f, 3)
    lucid.ENABLE_FUSION = False
    assert np.allclose(fused, gradient(f, 3)) and seen == [((3,), (3,), {"g", "first", "second"})]


SHAPES = {
    "neg sum": (lambda x: (-x).sum(1), [(2, 3), (2,)]),
    "exp sum": (lambda x: x.exp().sum(0, keepdim=True), [(2, 3), (1, 3)]),
    "t exp": (lambda x: x.t().exp(), [(2, 3), (3, 2)]),
    "permute exp": (lambda x: x[None].permute(2, 0, 1).exp(), [(1, 2, 3), (3, 1, 2)]),
    "transpose sum": (lambda x: x[None].transpose(0, -1).sum(0), [(1, 2, 3), (2, 1)]),
    "unsqueeze exp": (lambda x: x.unsqueeze(-1).exp(), [(2, 3), (2, 3, 1)]),
    "flip sum": (lambda x: x.flip(0).sum(1), [(2, 3), (2,)]),
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_pattern_knows_the_shapes_at_both_ends(name):
    f, wanted = SHAPES[name]
    seen, first, second = [], *name.split()

    def look(cls, ins, rets):
        seen[:] = ins[0].shape, rets[0].shape

    type("Look", (FusedBackwardOp,), {"op1": first, "op2": second, "__grad__": classmethod(look)})
    gradient(f, 2, 3)
    assert seen == wanted


def test_a_gradient_of_another_shape_is_refused():
    class SinCos(FusedBackwardOp):
        op1, op2 = ufunc.sin, ufunc.cos

        @classmethod
        def __grad__(cls, rets):
            return rets[0].grad[:1]

    with pytest.raises(RuntimeError, match=r"SinCos.__grad__ returned a gradient of shape \[1\] for an input of shape"):
        gradient(lambda x: x.sin().cos(), 3)


def test_the_gradient_function_binds_by_name():
    x, y = lucid.ones(2, requires_grad=True), lucid.ones(2)
    y.grad = lucid.full((2,), 5.0)

    class NegExp(FusedBackwardOp):
        op1, op2 = ufunc.neg, ufunc.exp

        @classmethod
        def __grad__(cls, rets):
            return rets[0].grad

    assert NegExp.get_fused_grad_func(x, y)().tolist() == [5.0, 5.0]
    assert NegExp.get_fused_grad_func((x,), [y], "cpu")() is y.grad
    with pytest.raises(TypeError, match="not to be instantiated"):
        NegExp()

    class AddExp(FusedBackwardOp):
        op1, op2 = bfunc.add, ufunc.exp

        @classmethod
        def __grad__(cls, rets, weather):
            return rets[0].grad

    with pytest.raises(TypeError, match="asks for weather"):
        AddExp.get_fused_grad_func(x, y)


def test_helpers_of_gradients():
    assert lucid._check_is_tensor(x := lucid.ones(2)) is x
    assert lucid._check_is_tensor([1, 2], dtype=lucid.float64).dtype is lucid.float64
    grad = np.arange(1.0, 13.0).reshape(3, 4)
    assert lucid._match_grad_shape(np.ones((1, 4)), grad).tolist() == [[15.0, 18.0, 21.0, 24.0]]
    assert lucid._match_grad_shape(lucid.ones(3, 1), lucid.tensor(grad)).flatten().tolist() == [10.0, 26.0, 42.0]
    assert lucid._match_grad_shape(np.ones((2, 2)), np.float64(3)).tolist() == [[3.0, 3.0]] * 2
    t = lucid.zeros(2, 2, requires_grad=True)
    lucid._set_tensor_grad(t, np.ones((2, 2), "float32"))
    lucid._set_tensor_grad(t, lucid.ones(2), at=0)
    assert t.grad.tolist() == [[2.0, 2.0], [1.0, 1.0]]
    lucid._set_tensor_grad(fixed := lucid.zeros(1), np.ones(1))
    assert fixed.grad is None
