"""Inference tensors in computations that are recorded: refused where one would be saved, taken where none is."""

import pytest
from both import same_outcome

# i: an inference tensor, j: one of integers, b: a row of one; w: a parameter
CALLS = """
w * i
w + i
i - w
w / i
i / w
F.linear(i, w)
F.linear(i, w, w[0])
F.linear(w, i, b)
w[j]
w[0:2][j]
w.index_select(0, j)
w.clone().mul_(i)
w.clone().copy_(i)
w.clone().index_put_((j,), i[:2])
w.clone().masked_fill_(i.bool(), 1)
w.clone().__setitem__(0, i[0])
w.clone().__setitem__(j, 0.0)
m.cat([w, i])
m.stack([w, i])
w.where(i > 0, w)
w.gather(0, j.view(2, 1))
w.scatter(0, j.view(2, 1), 1.0)
w.scatter_add(0, j.view(2, 1), i)
w.take(j)
w.index_add(0, j, i[:2])
w.index_fill(0, j, 1.0)
w.masked_fill(i.bool(), 0)
i.clone() * w
i.view(9) * w.view(9)
i.add_(w)
i.requires_grad_()
m.pow(w, i)
m.maximum(w, i)
w.copysign(i)
m.lerp(w, i, 0.5)
m.addcmul(w, i, i)
m.matmul(w, i)
i @ w
m.bmm(w[None], i[None])
m.addmm(i, w, w)
m.addmm(w, i, i)
m.baddbmm(w[None], i[None], i[None])
m.einsum("ij,jk", w, i)
m.dot(w[0], b)
m.outer(w[0], b)
m.mv(w, b)
m.cross(w, i, 1)
m.cdist(w, i)
F.conv2d(i[None, None], w[None, None])
F.embedding(j, w)
F.layer_norm(i, (3,), w[0])
F.group_norm(i, 1, w[0])
F.batch_norm(i, None, None, b, w[0], True)
F.prelu(i, w[0, 0:1])
F.dropout(i) + w
F.binary_cross_entropy(w.sigmoid(), i)
F.mse_loss(w, i)
F.huber_loss(w, i)
F.l1_loss(w, i)
F.kl_div(w, i, reduction="sum")
F.nll_loss(w, m.zeros(3, dtype=m.int64), i[0])
F.scaled_dot_product_attention(w[None], i[None], i[None])
w.to(i)
w.expand_as(i)
w.sum() * i[0, 0]
""".strip().splitlines()


@pytest.mark.parametrize("text", CALLS)
def test_call(text):
    def program(m):
        with m.inference_mode():
            i, j, b = m.ones(3, 3), m.tensor([0, 1]), m.ones(3)
        m.manual_seed(0)
        w = m.full((3, 3), 0.5, requires_grad=True)
        r = eval(text, {"m": m, "F": m.nn.functional, "i": i, "j": j, "b": b, "w": w})
        return None if r is None or not r.requires_grad or "dropout" in text else r

    same_outcome(program, rtol=1e-5)


@pytest.mark.parametrize("text", ["w * i", "w.clone().mul_(i)", "F.linear(i, w)"])
def test_clone_may_be_saved(text):
    def program(m):
        with m.inference_mode():
            i = m.ones(3, 3)
        w = m.full((3, 3), 0.5, requires_grad=True)
        r = eval(text, {"m": m, "F": m.nn.functional, "i": i.clone(), "w": w})
        return m.autograd.grad(r.sum(), w)[0].contiguous()

    same_outcome(program, rtol=1e-5)
