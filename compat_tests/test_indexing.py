"""Views, indexing, joins and scatters, expression by expression, against torch."""

import numpy as np
import pytest
from both import USUAL, same, same_outcome

# Each expression is read with torch and with lucid: values, strides, graph, view or not, or the error.
EXPRESSIONS = """
x.view(6,4) | x.view(2,3,4) | x.view(-1) | x.view(5) | x.view(-1,-1) | x.view(6,-4) | x.mT.view(-1)
x.view(torch.float32) | x.detach().view(torch.int16) | x.detach().view(torch.float64) | s.detach().view(torch.int16)
x.reshape(6,4) | x.reshape((2,12)) | x.transpose(0,1).reshape(6,4) | x.reshape(-1) | x.reshape_as(x) | x.view_as(x)
x.flatten() | x.flatten(1) | v.flatten() | s.flatten() | x.flatten(2,1) | x.mT.flatten() | x.unflatten(1,(3,1))
x.unflatten(-1,(2,-1)) | x.unflatten(1,(2,2)) | x.ravel() | x.mT.ravel() | x.permute(2,0,1) | x.permute(-1,0,1)
x.permute(0,0,1) | x.permute(0,1) | x.transpose(0,1) | x.transpose(0,5) | s.transpose(0,-1) | x.swapaxes(0,1) | m.t()
v.t() | x.t() | m.T | x.mT | v.mT | m.H | x.H | x.mH | m.adjoint() | v.adjoint() | x.movedim(0,1)
x.moveaxis((0,1),(2,0)) | x.movedim((0,0),(1,2)) | m.expand(2,3,4) | m.expand(-1,4) | m.expand(5,4) | m.expand(2,-1)
m.expand(-1,3,4) | m.expand_as(x) | torch.broadcast_to(m,(2,3,4)) | torch.broadcast_tensors(m,x)[0]
torch.broadcast_tensors(m,v)[1] | o.squeeze() | o.squeeze(1) | o.squeeze(0) | o.squeeze((1,3)) | o.squeeze((1,1))
s.squeeze(0) | o.squeeze(7) | x.unsqueeze(1) | x.unsqueeze(-1) | x.unsqueeze(4) | x.unsqueeze(5) | x.narrow(1,1,2)
x.narrow(1,torch.tensor(1),2) | x.narrow(1,2,2) | x.narrow(1,0,-1) | x.narrow(1,-4,1) | s.narrow(0,0,1)
x.select(1,0) | x.select(1,-4) | s.select(0,0) | x.diagonal() | m.diagonal(1) | m.diagonal(-2,1,0) | m.diagonal(0,0,0)
torch.diag_embed(m) | torch.diag_embed(m,1,0,-1) | torch.diag(m) | torch.diag(v) | torch.diag(x) | torch.diagflat(m)
x.unfold(1,2,1) | s.unfold(0,1,1) | x.unfold(1,5,1) | x.unfold(1,1,0) | x.as_strided((2,2),(1,2))
x.as_strided((2,2),(1,2),1) | x.as_strided((9,9),(9,9)) | x.as_strided((2,),(1,2)) | x.unbind()[1] | x.unbind(-1)[0]
s.unbind() | x.split(2,1)[1] | x.split([1,2],1)[1] | x.split([1,1],1) | x.split(-1) | x.split(0) | x.chunk(2,1)[1]
x.chunk(0) | x.chunk(5,2)[3] | torch.tensor_split(x,2,1)[1] | torch.tensor_split(x,(1,2),1)[2]
torch.tensor_split(x,torch.tensor(2),1)[0] | torch.tensor_split(x,0) | torch.hsplit(x,3)[1] | torch.hsplit(x,2)
torch.vsplit(x,2)[0] | torch.dsplit(x,[1,3])[2] | torch.vsplit(v,1) | torch.unsafe_split(x,2,1)[1]
torch.atleast_1d(s) | torch.atleast_2d(v) | torch.atleast_3d(m) | torch.atleast_2d(s,v)[1]
torch.narrow_copy(x,1,1,1) | torch.view_copy(x,(6,4)) | torch.squeeze_copy(o,1) | torch.cat([x,x],1) | torch.cat([x])
torch.cat([x,m]) | torch.cat([x,x[:1]],1) | torch.cat([x,torch.zeros(0)],1) | torch.cat([s,s]) | torch.cat([])
torch.cat(x) | torch.cat([x,1]) | torch.cat((x.mT,x.mT),-1) | torch.cat([x,x],axis=1)
torch.cat([m,i.view(2,1).expand(2,4)]) | torch.stack([x,x],1) | torch.stack([v,v]) | torch.stack([x,v])
torch.stack([]) | torch.stack([x,x],-1) | torch.stack([x,x],5) | torch.stack([s,s]) | torch.hstack([v,v])
torch.hstack([s,s]) | torch.vstack([v,v]) | torch.dstack([v,v]) | torch.column_stack([v,v]) | torch.row_stack([v,m])
torch.block_diag(m,v,s) | torch.block_diag(x) | x.repeat(2,1,1) | x.repeat(2,2,1,1) | x.repeat(2) | x.repeat(0,1,1)
x.tile(2) | x.tile((2,2,2,2)) | x.repeat_interleave(2) | x.repeat_interleave(2,1) | x.repeat_interleave(i+1,0)
x.repeat_interleave(i,1) | torch.repeat_interleave(i) | x.repeat_interleave(-1) | x.flip(0) | x.flip(0,0)
x.mT.flip(1,2) | x.fliplr() | v.fliplr() | x.roll(1) | x.roll((1,2),(0,1)) | x.roll((1,2)) | x.rot90() | x.rot90(2)
x.rot90(-1,(1,2)) | x.rot90(1,(0,0)) | v.rot90() | torch.meshgrid(v,s,indexing="ij")[0]
torch.meshgrid(v,v[:2],indexing="xy")[1] | torch.meshgrid(x,indexing="ij") | torch.cartesian_prod(v,v)
torch.combinations(v,2) | torch.combinations(v,2,True) | torch.unravel_index(i+3,(2,3))[1] | x[0] | x[0,1] | x[0,1,2]
x[1:] | x[:] | x[...] | x[()] | x[None] | x[None,0] | x[:,1:,0] | x[:,:] | x[...,1] | x[i] | x[[0,1]] | x[:,i]
x[i,:,i] | x[i,i] | x[x>9] | x[x[:,0,0]>5] | x[0,i] | x[True] | x[False] | x[None,i] | x[torch.tensor(1)]
x[torch.tensor(True)] | x[torch.tensor(1),torch.tensor(1)] | x[::2] | x[0:2] | x[0:2,None] | x[i.int()]
x[i.to(torch.uint8)] | x[i.to(torch.int16)] | x[(0,1)] | x[[[0,1],[1,0]]] | x[[0,slice(None)]]
x[torch.tensor([[0,1],[1,0]])] | x[...,0,None] | x[slice(0,torch.tensor(1))] | x[[True,False]] | x[[]]
x[np.array([0,1])] | x[np.array([[0,1],[1,0]])] | x[np.int64(1)] | x[np.array([True,False])] | x[1.0] | x["a"] | x[5]
x[0,0,0,0] | s[0] | s[...] | s[None] | s[True] | s[0:1] | s[0,0] | x[torch.tensor([5])] | x[torch.tensor([-3])]
x[i,torch.tensor([0,1,2])] | x[:,torch.tensor([True,False])] | x[-3] | x[:,-4] | x[torch.tensor([[True,False]])]
x[::-1] | x[::0] | x[torch.tensor([1.])] | x[torch.tensor([],dtype=torch.long)] | x[{}] | x[q,0] | x[q,:,None]
x[...,q,:] | x[q,q] | x[:,q[0],[0,1]] | x[1,[0,1],:,None] | x[[0],[1]] | x[((0,1),(1,2))] | x[2**70] | x[::2**40]
x[-100:100] | x[1:0] | x[0.5:] | x[range(2)] | x[[1.5]] | x[torch.zeros(2,0,dtype=torch.long)] | x[i,i,i,i]
x[np.bool_(True)] | torch.zeros(0,3)[i] | x.gather(1,z) | x.gather(1,z+5) | x.gather(1,z-1) | x.gather(5,z)
x.gather(1,z[0]) | x.gather(1,z.float()) | s.gather(0,i*0) | x.scatter(1,z,x[:,:1]) | x.scatter(1,z,1.)
x.scatter(1,z+9,1.) | x.scatter(1,z,x.double()) | x.scatter(1,z,x[:1]) | x.scatter(1,z,x,reduce="zz")
x.detach().scatter(1,z,x.detach(),reduce="add") | x.detach().scatter(1,z,2.,reduce="multiply")
x.scatter_add(1,z,x[:,:1]) | x.scatter_add(1,z,1.) | x.scatter_reduce(1,z,x[:,:1],"amax")
x.scatter_reduce(1,z,x[:,:1],"prod",include_self=False) | x.scatter_reduce(1,z,x[:,:1],"mean")
x.scatter_reduce(1,z,x,"zz") | x.index_select(1,i) | x.index_select(0,i+7) | x.index_select(0,i.view(1,2))
x.index_select(0,i.float()) | s.index_select(0,i[:1]) | x.index_add(0,i,x) | x.index_add(0,i,x[:1])
x.index_add(0,i,x,alpha=2) | x.index_add(0,i+5,x) | x.index_add(0,i,x.double()) | x.index_copy(0,i,x)
x.index_copy(0,i+5,x) | x.index_copy(0,i,x[0]) | x.index_fill(0,i,1.) | x.index_fill(0,i,s) | x.index_fill(0,i,v)
x.index_fill(0,i+5,1) | x.index_put((i,),s) | x.index_put((i*0,),s,accumulate=True) | x.index_put((i,),s.double())
x.index_put((i,),1.) | x.index_put((i+9,),s) | x.index_put((i,),v[:3]) | x.index_put(i,s) | x.masked_select(x>9)
x.masked_select(v>2) | x.masked_select(x) | x.masked_scatter(x>9,x) | x.masked_scatter(x>3,v) | x.take(i)
x.take(i-1) | x.take(i+50) | x.take(i.int()) | x.put(i,v[:2]) | x.put(i*0,v[:2],accumulate=True) | x.put(i,v)
x.take_along_dim(z,1) | x.take_along_dim(i) | x.take_along_dim(i,1) | x.nonzero() | x.nonzero(as_tuple=True)[1]
s.nonzero() | s.nonzero(as_tuple=True)[0] | torch.argwhere(x) | x.nonzero_static(size=3) | x.select_scatter(m,0,1)
x.select_scatter(v,0,0) | x.slice_scatter(x[:,:1],1,0,1) | x.diagonal_scatter(torch.ones(4,2)) | F.one_hot(i)
F.one_hot(i,5) | F.one_hot(i-1) | F.one_hot(i+5,3) | F.one_hot(i.int()) | F.embedding(i,m) | F.embedding(i+9,m)
F.embedding(i.float(),m) | F.embedding(i,x) | F.embedding(i*0,m,padding_idx=0)
F.embedding(i*0,m,scale_grad_by_freq=True) | F.embedding(i,m,padding_idx=9)
F.embedding(i,m.detach().clone(),max_norm=1.)
"""
EXPRESSIONS = [e.strip() for line in EXPRESSIONS.strip().splitlines() for e in line.split(" | ")]


def operands(T):
    def made(shape, dtype=T.float32):
        return T.tensor(np.arange(1.0, 1 + int(np.prod(shape))).reshape(shape), dtype=dtype, requires_grad=True)

    leaves = [made((2, 3, 4)), made((3, 4)), made((4,)), made(()), made((2, 1, 3, 1))]
    scope = dict(zip("xmvso", [t * 1 for t in leaves]))
    scope.update(
        i=T.tensor([0, 1]),
        z=T.zeros(2, 1, 4, dtype=T.long),
        torch=T,
        F=T.nn.functional,
        np=np,
        q=T.tensor([[True, False, True], [False, True, False]]),
    )
    return leaves, scope


def read(T, expression):
    """The result, and the gradients of the leaves."""
    leaves, scope = operands(T)
    r = eval(expression, scope)
    if not isinstance(r, T.Tensor):
        raise TypeError("no tensor")
    grads = T.autograd.grad((r * r).sum(), leaves, allow_unused=True) if r.requires_grad else []
    return r, [g if g is None else g.contiguous() for g in grads]  # torch lays some out otherwise


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expression(expression):
    same_outcome(read, expression, looks=USUAL + " view", quiet=True, text=60)


def test_infinities_do_not_spoil_the_gradient_of_means():
    def program(m):
        x = m.tensor([1.0, float("inf"), 3.0, float("nan")], requires_grad=True)
        y = x.scatter_reduce(0, m.tensor([0, 0, 1]), x[:3] * 1, "mean")
        return m.autograd.grad(y.sum(), x)

    same_outcome(program, rtol=1e-6)


BYTES = """
x[b] = -1
x[b] = torch.tensor(-1.0)
x[b] = torch.tensor([-1.0])
x[b] = torch.tensor([-1.0] * 4)
x[b, 1] = -1
x[:, torch.tensor([1, 0, 1, 0], dtype=torch.uint8)] = -1
x[torch.tensor([0, 1]), torch.tensor([1, 0, 1, 0], dtype=torch.uint8)] = -1
x[b * 0] = -1
x[b[0]] = -1
x.index_put_((b,), torch.tensor(-1.0), accumulate=True)
x.index_put_((b,), torch.ones(2, 4))
x.index_put_((b,), torch.ones(1, 1))
x = x.index_put((b,), torch.ones(1, 1))
x = x.index_put((b,), torch.ones(1, 4))
""".strip().splitlines()


@pytest.mark.parametrize("text", BYTES)
def test_masks_of_bytes(text):
    """torch's masked_fill_, to which it hands one value, takes none."""

    def program(m):
        scope = {"torch": m, "x": m.zeros(3, 4), "b": m.tensor([1, 0, 1], dtype=m.uint8)}
        exec(text, scope)
        return scope["x"]

    same_outcome(program, quiet=True)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 2)])
def test_reversed_is_a_tensor(shape):
    def program(m):
        x = m.arange(float(np.prod(shape))).reshape(shape).requires_grad_()
        turned = reversed(x)
        (turned * turned.detach()).sum().backward()
        return [turned.detach(), x.grad, type(turned) is m.Tensor]

    same(program)
