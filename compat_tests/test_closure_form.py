"""Ops in the closure form: results with gradient functions, in one graph with the built-in ops."""

import pytest

import lucid
from lucid._backend.core import Operation, binary_func_op, func_op, unary_func_op


class product(Operation):
    @binary_func_op()
    def forward(self, a, b):
        self.result = lucid.mul(a, b)

        def grad():
            return self.result.grad * b, self.result.grad * a

        return self.result, grad


class both(Operation):
    @func_op(1, 2)
    def forward(self, a):
        self.double, self.triple = a * 2, a * 3
        return (self.double, lambda: self.double.grad * 2), (self.triple, lambda: self.triple.grad * 3)


def leaves(*shapes):
    return [(lucid.arange(lucid.Size(s).numel()).float() + 1).reshape(s).requires_grad_() for s in shapes]


@pytest.mark.parametrize("shapes", [((3, 4), (3, 4)), ((1, 4), (3, 4)), ((3, 1), (3, 4)), ((4,), (3, 4)), ((), (2,))])
def test_gradients_reach_the_inputs_shape(shapes):
    a, b = leaves(*shapes)
    weight = (lucid.arange(12).float() + 1)[: lucid.broadcast_shapes(*shapes).numel()].reshape(
        lucid.broadcast_shapes(*shapes)
    )
    (product()(a, b) * weight).sum().backward()
    x, y = leaves(*shapes)
    (x * y * weight).sum().backward()
    assert lucid.equal(a.grad, x.grad) and lucid.equal(b.grad, y.grad)


def test_the_graph_names_it():
    a, b = leaves((2,), (2,))
    out = product()(a * 2, b)
    assert type(out.grad_fn).__name__ == "productBackward"
    assert [type(n).__name__ for n, _ in out.grad_fn.next_functions] == ["MulBackward0", "AccumulateGrad"]


def test_several_results():
    (a,) = leaves((2,))
    x, y = both()(a)
    assert [x.output_nr, y.output_nr] == [0, 1]
    (x.sum() + (y * 10).sum()).backward()
    assert a.grad.tolist() == [32.0, 32.0]


def test_only_what_is_reached_contributes():
    (a,) = leaves((2,))
    both()(a)[1].sum().backward()
    assert a.grad.tolist() == [3.0, 3.0]


def test_second_order_is_refused():
    a, b = leaves((2,), (2,))
    with pytest.raises(RuntimeError, match="closure form, which has first derivatives only"):
        lucid.autograd.grad(product()(a, b).sum(), a, create_graph=True)


def test_wrong_counts_name_the_op_and_both_counts():
    class one_too_few(Operation):
        @func_op(1, 2)
        def forward(self, a):
            return a * 1, lambda: 1

    class too_many_gradients(Operation):
        @unary_func_op()
        def forward(self, a):
            return a * 1, lambda: (a, a)

    (a,) = leaves((2,))
    with pytest.raises(ValueError, match="one_too_few: expected 2 results, got 1"):
        one_too_few()(a)
    with pytest.raises(ValueError, match="product: expected 2 tensor inputs, got 1"):
        product()(a)
    with pytest.raises(ValueError, match="must return 1 gradients, one per input, but returned 2"):
        too_many_gradients()(a).sum().backward()


def test_no_record_without_gradients():
    a, b = leaves((2,), (2,))
    with lucid.no_grad():
        assert not product()(a, b).requires_grad
    assert not product()(a.detach(), b.detach()).requires_grad


class triple_by_data(Operation):
    @unary_func_op()
    def forward(self, a):
        self.result = lucid.Tensor(a.data * 3)
        return self.result, lambda: self.result.grad * 3


def test_one_instance_may_be_called_again():
    a, b = leaves((2,), (2,))
    op = product()
    op(op(a, b), b).sum().backward()
    x, y = leaves((2,), (2,))
    (x * y * y).sum().backward()
    assert lucid.equal(a.grad, x.grad) and lucid.equal(b.grad, y.grad)


def test_a_freed_graph_is_an_error_and_no_gradient_is_lost():
    (a,) = leaves((2,))
    y = triple_by_data()(a).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert a.grad.tolist() == [6.0, 6.0]
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        y.backward()


def test_an_input_given_back():
    class same_again(Operation):
        @unary_func_op()
        def forward(self, a):
            return a, lambda: lucid.full((2,), 7.0)

    (a,) = leaves((2,))
    y = same_again()(a)
    assert y is not a and a.is_leaf and y.data_ptr() == a.data_ptr()
    (y + a).sum().backward()
    assert a.grad.tolist() == [8.0, 8.0]


def test_forward_mode_is_right_or_refused():
    (a, b), c = leaves((2,), (2,)), lucid.tensor([5, 6])
    a, b = a.detach(), b.detach()
    assert lucid.func.jvp(lambda x: product()(x, b), (a,), (a,))[1].tolist() == [1.0, 4.0]
    with pytest.raises(NotImplementedError, match="no forward mode"):
        lucid.func.jvp(triple_by_data(), (a,), (a,))
    assert triple_by_data()(c).tolist() == [15, 18] and lucid.vmap(triple_by_data())(a).tolist() == [3.0, 6.0]
