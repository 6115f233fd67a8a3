"""One-line programs about sparse tensors, by topic: run on torch and on lucid, and compared. The names are in Start."""

UNARY = """abs asin asinh atan atanh ceil erf erfinv expm1 floor frac isinf isnan isneginf isposinf log1p relu round sgn
    sign signbit sin sinh sqrt tan tanh trunc neg positive conj clone detach exp cos sigmoid reciprocal rsqrt log
    logical_not nan_to_num square""".split()

BINARY = "add sub mul div floor_divide pow maximum fmod remainder atan2 eq lt".split()

CONSTRUCTION = """
m.sparse_coo_tensor([[0, 1], [2, 4]], [1, 2])
m.sparse_coo_tensor([[0, 1]], [[1.0, 2], [3, 4]], (3, 2))
m.sparse_coo_tensor([[0, 1]], [1.0, 2.0], (3,), dtype=m.float64)
m.sparse_coo_tensor((2, 3), dtype=m.int32)
m.sparse_coo_tensor([[]], [], (2,))
m.sparse_coo_tensor([[0]], [1.0], (2,)).is_coalesced()
m.sparse_coo_tensor([[0, 1]], [1.0], (3,))
m.sparse_coo_tensor([[0, 1]], [1.0, 2.0], (3, 3))
m.sparse_coo_tensor([0, 1], [1.0, 2.0], (3,))
m.sparse_coo_tensor(m.tensor([[0, 1]]), m.ones(2), (3,), is_coalesced=True).is_coalesced()
m.sparse_coo_tensor([[0, 5]], [1.0, 2.0], (3,), check_invariants=True)
m.sparse_coo_tensor([[0, -1]], [1.0, 2.0], (3,), check_invariants=True)
m.sparse_coo_tensor([[0, -1]], [1.0, 2.0])
m.sparse_coo_tensor([[0, 1]], m.ones(2, 2), (3, 3), check_invariants=True)
m.sparse_coo_tensor([[1, 0]], [1.0, 2.0], (3,), is_coalesced=True, check_invariants=True)
m.sparse_coo_tensor([[0, 1]], [1.0, 2.0], (-3,))
m.sparse_coo_tensor(m.tensor([[0, 1]], dtype=m.int32), m.ones(2).half(), (3,))
m.sparse_csr_tensor([0, 1, 2], [0, 1], [1, 2])
m.sparse_csr_tensor([0, 1, 2], [0, 7], [1.0, 2.0])
m.sparse_csr_tensor(m.tensor([0, 1, 2]).int(), m.tensor([0, 1]).int(), m.ones(2)).crow_indices()
m.sparse_csr_tensor([[0, 1, 2], [0, 0, 2]], [[0, 1], [0, 1]], [[1.0, 2.0], [3.0, 4.0]], (2, 2, 2)).to_dense()
m.sparse_csc_tensor([0, 1, 2], [0, 1], [1.0, 2.0])
m.sparse_compressed_tensor([0, 1, 2], [0, 1], [1, 2], layout=m.sparse_csr)
m.sparse_compressed_tensor([0, 1, 2], [0, 1], [1, 2])
m.sparse_compressed_tensor([0, 1, 2], [0, 1], [1, 2], layout=m.strided)
m.sparse_csr_tensor([0, 1, 3], [0, 1], [1, 2], (2, 2), check_invariants=True)
m.sparse_csr_tensor([0, 1, 2], [0, 5], [1, 2], (2, 2), check_invariants=True)
m.sparse_csr_tensor([0, 1, 2], [0, 1], [1], (2, 2), check_invariants=True)
m.sparse_csr_tensor([1, 1, 2], [0, 1], [1, 2], (2, 2), check_invariants=True)
m.sparse_csr_tensor([0, 1, 2], [0, 1], [1, 2], (2,), check_invariants=True)
m.sparse_csr_tensor([0, 2], [0, 1], [1, 2], (2, 2), check_invariants=True)
m.sparse_csr_tensor([0, 2, 2], [1, 0], [1, 2], (2, 2), check_invariants=True)
m.sparse_csr_tensor([0, 3, 2], [1, 1], [1, 2], (2, 2), check_invariants=True)
m.sparse_csr_tensor([0, 1, 2], [0, -1], [1, 2], (2, 2), check_invariants=True)
m.zeros(2, 3, layout=m.sparse_coo)
m.zeros(2, 3, layout=m.sparse_csr)
m.empty(2, 3, layout=m.sparse_coo)
m.ones(2, 3, layout=m.sparse_coo)
m.zeros_like(S)
m.zeros_like(R)
m.zeros_like(D, layout=m.sparse_coo)
m.zeros_like(S, layout=m.strided)
m.ones_like(R)
m.ones_like(S)
m.rand_like(S)
S.new_zeros(2)
m.sparse.FloatTensor(m.tensor([[0, 1]]), m.ones(2), m.Size([3]))
m.sparse.FloatTensor(2, 3)
m.sparse.DoubleTensor(m.tensor([[0, 1]]), m.ones(2).double())
isinstance(S, m.sparse.FloatTensor), isinstance(S, m.FloatTensor), isinstance(D, m.sparse.FloatTensor)
m.sparse.spdiags(m.arange(9).reshape(3, 3), m.tensor([0, -1, 2]), (3, 3))
m.sparse.spdiags(m.arange(9).reshape(3, 3), m.tensor([0, -1, 2]), (3, 3), layout=m.sparse_csr)
m.sparse.spdiags(m.arange(4.0), m.tensor([1]), (3, 4))
m.sparse.spdiags(m.arange(9).reshape(3, 3), m.tensor([0, 0, 2]), (3, 3))
m.sparse.spdiags(m.arange(9).reshape(3, 3), m.tensor([0, 2]), (3, 3))
D.to_sparse()
D.to_sparse(1)
D.to_sparse(5)
D.to_sparse(layout=m.sparse_csr)
D.to_sparse_csr()
D.to_sparse_csc()
m.ones(2, 2, 2).to_sparse_csr()
m.ones(2, 2, 2).to_sparse_csr(dense_dim=1)
m.ones(2).to_sparse_csr()
m.stack([m.eye(2), m.ones(2, 2)]).to_sparse_csr()
S.to_sparse(1)
S.to_sparse()
S.to_sparse_csr()
S.to_sparse_csc()
R.to_sparse()
R.to_sparse_csc()
K.to_sparse()
K.to_sparse_csr()
H.to_sparse_csr()
S.to_dense(m.float64)
D.to_dense(m.float64)
D.sparse_mask(C)
D.sparse_mask(S)
D.sparse_mask(R)
S.sparse_mask(O)
S.sparse_mask(R)
R.sparse_mask(R)
D.sparse_mask(D)
D.sparse_mask(m.eye(3).to_sparse())
"""

PARTS = """
S.indices()
S.values()
C.indices(), C.values()
S._indices(), S._values(), S._nnz()
R.crow_indices(), R.col_indices(), R.values(), R._nnz()
K.ccol_indices(), K.row_indices(), K.values()
D._indices()
D._values()
D._nnz()
D.coalesce()
D.is_coalesced()
D.indices()
D.values()
D.crow_indices()
R.coalesce()
R.indices()
R._indices()
R.is_coalesced()
S.crow_indices()
R.ccol_indices()
K.crow_indices()
D.sparse_dim(), D.dense_dim()
[(x.sparse_dim(), x.dense_dim(), x.is_sparse, x.is_sparse_csr, x.layout, x.dtype, x.shape) for x in (S, H, R, K, T, D)]
S.coalesce()
B.coalesce()
I.coalesce()
Z.coalesce()
H.coalesce()
E.coalesce()
C._coalesced_(False).is_coalesced()
S.stride(), S.is_contiguous(), S.storage_offset(), S.numel(), S.dim(), len(S), S.element_size()
R.stride()
R.is_contiguous()
S.contiguous()
S.data_ptr()
S.untyped_storage()
R.untyped_storage()
S.numpy()
R.numpy()
S.tolist()
S.item()
bool(S)
m.sparse_coo_tensor([[0]], [3.0], (1,)).item()
S.nbytes
S.type(), I.type()
R.type()
S.is_leaf, S._version, S.is_floating_point(), I.is_floating_point(), Z.is_complex(), S.grad
repr(S), repr(C), repr(R), repr(K), repr(H), repr(E), repr(I), repr(B), repr(Z), repr(T)
repr(S.double()), repr(S.requires_grad_()), repr(S * 2), repr(m.nn.Parameter(S)), repr(m.nn.Parameter(R))
repr(m.sparse_coo_tensor(m.zeros(2, 1200, dtype=m.long), m.ones(1200), (3, 3)))
repr(m.ones(2, 2, 2).to_sparse_csr()), repr(m.sparse_coo_tensor((0, 2))), repr(m.zeros(2, 3, layout=m.sparse_csr))
S.clone().sparse_resize_((4, 4), 2, 0)
S.clone().sparse_resize_((1, 4), 2, 0)
S.clone().sparse_resize_((4, 4, 2), 2, 1)
S.clone().sparse_resize_and_clear_((1, 4), 1, 1)
D.sparse_resize_((4, 4), 2, 0)
m.resize_as_sparse_(S.clone(), m.eye(4).to_sparse())
m.resize_as_sparse_(S.clone(), m.eye(1).to_sparse())
"""

ARITHMETIC = """
S + S
S + C
C + O
O + S
S + O + C
C - O
S + I
I + S
S + E
E + S
S + H
S + T
m.add(C, S, alpha=3)
m.sub(C, O, alpha=2)
D + S
D - S
S + D
S - D
S + 1
1 + S
S + m.tensor(1.0)
m.add(D, S, alpha=2)
D + R
R + D
R + Q
R + S
R - Q
D + m.sparse_coo_tensor((3, 3))
S * 2
S * 2.5
2 * S
I * 2.5
S * m.tensor(2.0)
S * m.tensor(2.0).double()
S * S
S * C
C * S
C * O
O * S
S * I
N * O
H * H
S * H
S * E
S * D
D * S
S * m.ones(3)
S * m.ones(2, 1)
S * m.ones(1, 2, 3)
S * m.ones(2, 4)
H * m.ones(2)
R * 2
R * Q
R * D
D * R
R * S
S / 2
I / 2
S / m.tensor(2.0)
S / 0
S / D
D / S
2 / S
S / S
R / 2
S // 2
N // 2
m.div(N, 2, rounding_mode="trunc")
S ** 2
C ** 3
S ** 0
S ** -1
S ** 0.5
2 ** S
S ** S
S ** D
R ** 2
-S
-R
abs(N)
S @ W
C @ W
R @ W
K @ W
S @ V
R @ V
D @ W
W.t() @ S.t()
W.t() @ R.t()
S @ S.t()
R @ R.t().to_sparse_csr()
R @ R.t()
S @ R.t()
S @ D
S @ S
S @ W.double()
S @ V.double()
H @ W
I @ W.long()
Z @ (W * 1j)
m.mm(S, W)
m.spmm(S, W)
m.dsmm(S, W)
m.matmul(S, W)
m.bmm(T, m.ones(2, 3, 2))
T @ m.ones(2, 3, 2)
m.bmm(m.ones(2, 3, 2), T)
m.mv(S, V)
S.mv(V)
m.ones(2) @ S
m.ones(2).to_sparse() @ m.ones(2)
m.addmm(m.ones(2, 4), S, W, beta=2, alpha=3)
m.addmm(m.ones(4), S, W)
m.addmm(m.ones(2, 4), R, W)
m.addmv(m.ones(2), R, V)
F.linear(S, W.t())
F.linear(W.t(), S, m.ones(2))
F.linear(W.t(), R, m.ones(2))
m.sparse.mm(S, W)
m.sparse.mm(R, W)
m.sparse.mm(K, W)
m.sparse.mm(W.t(), S.t())
m.sparse.mm(S, C.t())
m.sparse.mm(R, R.t().to_sparse_csr())
m.sparse.mm(S, R.t())
m.sparse.mm(D, W)
m.sparse.mm(S, D)
m.sparse.mm(S.half(), W.half())
m.sparse.mm(I, W.long())
m.sparse.mm(R, W, "sum")
m.sparse.mm(R, W, "mean")
m.sparse.mm(R, W, "amax")
m.sparse.mm(R, W, "amin")
m.sparse.mm(R, W, reduce="mean")
m.sparse.mm(R, W, "foo")
m.sparse.mm(S, W, "sum")
m.sparse.addmm(m.ones(2, 4), S, W, beta=2, alpha=3)
m.sparse.addmm(m.ones(2, 4), R, W)
m.sparse.sampled_addmm(R, m.ones(2, 4), W.t().contiguous(), beta=2, alpha=3)
m.sparse.sampled_addmm(R, m.ones(2, 4), W.t().contiguous(), beta=0)
m.sparse.sampled_addmm(S, m.ones(2, 4), W.t())
m.sparse.sampled_addmm(D, m.ones(2, 4), W.t())
m.sparse.sampled_addmm(R, m.ones(2, 4), W)
m.smm(S, W)
m.hspmm(S, W)
m.hsmm(S, W)
m.sspaddmm(m.eye(2).to_sparse(), S, D.t(), beta=2, alpha=3)
S.add_(C)
S.sub_(C)
S.mul_(2)
S.mul_(C)
S.div_(2)
S.neg_()
S.abs_()
C.abs_()
C.sin_()
S.relu_()
S.zero_()
R.zero_()
R.mul_(3)
R.fill_(2)
S.fill_(2)
R.sin_()
S.pow_(2)
D.add_(S)
D.add_(S, alpha=2)
D.sub_(S)
D.mul_(S)
D.add_(R)
S.add_(D)
S.add_(1)
S.copy_(O)
S.copy_(D)
D.copy_(S)
I.add_(S)
I.mul_(2.5)
S.__setitem__(0, 1.0)
"""

REDUCTIONS = """
S.sum()
R.sum()
H.sum()
I.sum()
B.sum()
S.sum(0)
S.sum((0, 1))
S.sum(0, keepdim=True)
S.sum(1, keepdim=True)
I.sum(0)
R.sum(0)
R.sum(0, keepdim=True)
R.sum((0, 1), keepdim=True)
R.sum(1, keepdim=True)
m.sparse.sum(S)
m.sparse.sum(S, -1)
m.sparse.sum(S, (0, 1))
m.sparse.sum(S, 0, dtype=m.float64)
m.sparse.sum(S, dtype=m.float64)
m.sparse.sum(H, 0)
m.sparse.sum(H, 1)
m.sparse.sum(H, (0, 2))
m.sparse.sum(H, (1, 2))
m.sparse.sum(T, (0, 2))
m.sparse.sum(T, 1)
m.sparse.sum(E, 0)
m.sparse.sum(E)
m.sparse.sum(R)
m.sparse.sum(R, 1)
m.sparse.softmax(S, 1)
m.sparse.softmax(N, 0)
m.sparse.softmax(H, 0)
m.sparse.softmax(H, 1)
m.sparse.softmax(H, -1)
m.sparse.softmax(T, 1)
m.sparse.softmax(E, 1)
m.sparse.softmax(S, 1, dtype=m.float64)
m.sparse.softmax(S.double(), 1)
m.sparse.log_softmax(N, 1)
m.sparse.log_softmax(H, 1)
m.sparse.softmax(R, 1)
m.sparse.softmax(S, 5)
S.softmax(1)
S.mean()
S.prod()
S.amax()
S.max()
S.argmax()
S.cumsum(0)
S.all()
S.any()
S.norm()
S.norm(1)
S.norm(2, dim=0)
S.std()
S.count_nonzero()
S.unique()
S.nonzero()
m.equal(S, S)
m.allclose(S, S)
"""

SHAPES = """
S.t()
S.T
S.mT
R.t()
K.t()
S.transpose(0, 1)
R.transpose(0, 1)
S.permute(1, 0)
T.permute(2, 0, 1)
T.transpose(0, 2)
H.permute(0, 2, 1)
H.permute(1, 0, 2)
H.transpose(0, 1)
H.transpose(1, 2)
S.unsqueeze(0)
S.unsqueeze(-1)
H.unsqueeze(2)
R.unsqueeze(0)
S.squeeze()
S.view(6)
S.reshape(6)
S.reshape(2, 3)
R.reshape(6)
S.flatten()
S.expand(2, 2, 3)
S.repeat(2, 1)
S[0]
S[0, 2]
S[1, 1]
S[:, 0]
S[0:1]
S[m.tensor([0, 1])]
S[None]
H[1]
H[:, 1]
T[1, 0]
R[0]
R[0, 2]
S.select(1, 2)
H.select(1, 1)
list(S)
S.unbind()
S.split(1)
S.chunk(2)
S.index_select(0, m.tensor([1, 1]))
S.index_select(1, m.tensor([2, 0, 2]))
C.index_select(0, m.tensor([1, 0]))
H.index_select(1, m.tensor([1]))
S.index_select(0, m.tensor([2]))
S.narrow(0, 1, 1)
S.narrow_copy(0, 1, 1)
H.narrow_copy(1, 0, 1)
m.cat([S, C])
m.cat([S, C], 1)
m.cat([H, H], 1)
m.cat([H, H], 2)
m.cat([S, D])
m.cat([D, S])
m.cat([S, H])
m.cat([R, R])
m.stack([S, C])
m.stack([S, C], 1)
m.vstack([S, C])
S.flip(0)
S.roll(1, 0)
S.tril()
S.diagonal()
F.pad(S, (1, 1))
m.where(S > 0, S, S)
S.clamp(0)
S.double()
S.int()
S.half()
S.bfloat16()
S.to(m.float64)
S.cpu()
R.double()
S.conj()
Z.conj()
S.real
Z.resolve_conj()
m.view_as_real(Z)
S.detach().requires_grad
S.clone()
R.clone()
__import__("copy").deepcopy(S)
__import__("copy").deepcopy(R)
__import__("pickle").loads(__import__("pickle").dumps(S.double()))
__import__("pickle").loads(__import__("pickle").dumps(R))
2.0 in S
"""

# (names of leaves, program): its result, or the values of a sparse one, is weighted and summed, and backward called.
GRADIENTS = """
S | S.to_dense()
C | C.to_dense()
R | R.to_dense()
K | K.to_dense()
H | H.to_dense()
S | S.to_dense(masked_grad=False)
R | R.to_dense(masked_grad=False)
S | S.coalesce()
S | S.coalesce().values()
C | C.values()
R | R.values()
V | m.sparse_coo_tensor([[0, 1, 1], [2, 0, 0]], V, (2, 3))
V | m.sparse_coo_tensor([[0, 1, 1], [2, 0, 0]], V, (2, 3)).coalesce().values()
V | m.sparse_csr_tensor([0, 2, 3], [0, 1, 1], V, (2, 3))
V W | m.sparse.mm(m.sparse_coo_tensor([[0, 1, 1], [2, 0, 1]], V, (2, 3)), W)
V W | m.sparse.mm(m.sparse_csr_tensor([0, 1, 3], [2, 0, 1], V, (2, 3)), W)
V W | m.sparse_coo_tensor([[0, 1, 1], [2, 0, 1]], V, (2, 3)) @ W
S | S.sum()
R | R.sum()
S | m.sparse.sum(S)
S | m.sparse.sum(S, 0)
C | m.sparse.sum(C, 1)
H | m.sparse.sum(H, 1)
H | m.sparse.sum(H, (0, 1))
T | m.sparse.sum(T, (0, 2))
S C | S * C
C O | C * O
S D | S * D
S | S * 2.5
R Q | R * Q
R | R * 2
S C | S + C
C O | C + O
D S | D + S
D R | D + R
R Q | R + Q
S C | S - C
S | S / 2
S | S ** 2
S | -S
S W | S @ W
S W | m.sparse.mm(S, W)
R W | R @ W
R W | m.sparse.mm(R, W)
S W | m.sparse.mm(W.t(), S.t())
S C | S @ C.t()
S C | m.sparse.mm(S, C.t())
R Q | R @ Q.t().to_sparse_csr()
D S | D.t() @ S
D R | D.t() @ R
S V | S @ V
R V | R @ V
R W | m.sparse.mm(R, W, "sum")
R W | m.sparse.mm(R, W, "mean")
R W | m.sparse.mm(R, W, "amax")
R W | m.sparse.mm(R, W, "amin")
S W | m.addmm(m.ones(2, 4), S, W, beta=2, alpha=3)
S W | m.sparse.addmm(m.ones(2, 4), S, W, beta=2, alpha=3)
R W | m.sparse.addmm(m.ones(2, 4), R, W, beta=2, alpha=3)
S | m.sparse.softmax(S, 1)
N | m.sparse.softmax(N, 0)
H | m.sparse.softmax(H, 1)
H | m.sparse.log_softmax(H, 0)
N | m.sparse.log_softmax(N, 1)
D | D.to_sparse()
D | D.to_sparse(1)
D | D.to_sparse_csr()
D | D.to_sparse_csc()
C | C.to_sparse_csr()
R | R.to_sparse_coo()
D | D.sparse_mask(C)
S | S.sparse_mask(C)
D | D.sparse_mask(R)
S | S.t()
S | S.transpose(0, 1)
T | T.permute(2, 0, 1)
R | R.t()
S C | m.stack([S, C])
S | S.clone()
R | R.clone()
S | S.double()
R | R.double()
S | S.abs()
N | N.relu()
N | N.sign()
N | N.log1p()
S | S.rad2deg().coalesce()
R D W | m.sparse.sampled_addmm(R, D, D.t() @ D, beta=2, alpha=3)
S | (S * S).sum()
S | S.to_dense() @ W
S | m.sparse.mm(S, m.sparse.mm(S.t(), S.to_dense()))
W | F.embedding(m.tensor([[1, 2], [1, 0]]), W, sparse=True)
W | F.embedding(m.tensor([[1, 2], [1, 0]]), W, sparse=True, padding_idx=1)
W | F.embedding(m.tensor([1, 2]), W, sparse=True) + W.sum()
W | W.sum() + F.embedding(m.tensor([1, 2]), W, sparse=True)
W | F.embedding(m.tensor([1, 2]), W, sparse=True) + F.embedding(m.tensor([0, 2]), W, sparse=True)
W | F.embedding(m.tensor([0, 2]), W * 2, sparse=True)
W | F.embedding_bag(m.tensor([1, 2, 2]), W, m.tensor([0, 2]), sparse=True, mode="mean")
W | F.embedding_bag(m.tensor([1, 2, 2]), W, m.tensor([0, 2]), sparse=True, mode="sum")
W | F.embedding_bag(m.tensor([1, 2, 2, 0]), W, m.tensor([0, 2]), sparse=True, mode="sum", padding_idx=2)
W | F.embedding_bag(m.tensor([1, 2, 2]), W, m.tensor([0, 2]), sparse=True, mode="sum", per_sample_weights=V)
"""


def lines(text):
    return [line for line in text.strip().splitlines() if line.strip()]
