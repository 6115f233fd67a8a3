"""More lines for histories (histories.py): ops, in-place writes and other calls, by what they need of their tensor.

{0}: the tensor, {1}: an operand of its shape, a part of it or a 0-dim tensor, {2}: another such operand or a number,
{d}: a dimension, {i}: an index along it, none twice, {n}: its size, {k}: a number below it.
"""

# of any tensor
OPS = """{0}.tan() {0}.log1p() {0}.erf() {0}.expm1() {0}.rsqrt() {0}.reciprocal() {0}.square() {0}.frac() {0}.floor()
{0}.round() {0}.trunc() {0}.logit(0.1) {0}.clamp_min(0.7) {0}.clamp(max=1.1) T.minimum({0},{1}) T.fmax({0},{1})
T.fmin({0},{1}) {0}.remainder(0.3) {0}.fmod(0.3) T.hypot({0},{1}) T.where({0}>0.9,{0},0.5) T.where({1}>0.9,{0},{1})
{0}.log() {0}.log2() {0}.sinh() {0}.asinh() {0}.atan() {0}.exp2() {0}.neg() -{0} +{0} 1-{0} 2/{0} 2.5*{0} {0}-0.5
{0}.mul({1}) {0}.sub({1},alpha=2) {0}.add({1},alpha=0.5) T.rsub({0},{1}) T.true_divide({0},{1}) {0}.div(0.3,rounding_mode='floor')
F.gelu({0}) F.elu({0}) F.softplus({0}) F.leaky_relu({0},0.1) F.hardtanh({0},0.6,1.2) F.relu6({0}) F.logsigmoid({0})
F.mse_loss({0},{0}*2) F.l1_loss({0},{0}*2) F.smooth_l1_loss({0},{0}*2) F.dropout({0},0.5) F.normalize({0}.double(),dim={d})
{0}.std() {0}.var() {0}.median() {0}.min() {0}.amin({d}) {0}.nansum() {0}.mean() {0}.prod() {0}.norm(1) {0}.logcumsumexp({d})
{0}.cumprod({d}) {0}.cummax({d})[0] {0}.cummin({d})[0] {0}.log_softmax({d}) {0}.max({d})[0] {0}.min({d})[0] {0}.max({d})[1] {0}.argmax({d})
{0}.std({d},unbiased=False) {0}.var({d},keepdim=True) {0}.sum({d},keepdim=True) {0}.amax({d},keepdim=True) {0}.norm(2,{d})
{0}.nan_to_num() T.addcdiv({0},{1},{0}) T.lerp({0},{1},{0}) T.lerp({0},{1},0.8) T.addcmul({0},{1},{0},value=0.5) T.xlogy({0},{1}) T.logaddexp({0},{1})
{0}.type_as({1}) {0}.to({1}) {0}.half() {0}.double() {0}.float() {0}.int() {0}.bool() {0}.to(T.float64,copy=True) {0}.copysign({1}) {0}.sgn()
T.zeros_like({0}) T.ones_like({0}) T.full_like({0},0.5) {0}.new_zeros(3) {0}.new_tensor([0.5]) T.empty_like({0}).fill_(1) T.rand_like({0})
{0}=={1} {0}<={1} ({0}>0.9)&({1}>0.9) ~({0}>0.9) {0}.isnan() {0}.repeat(2,*[1]*{0}.dim()) {0}.flatten() {0}.clone(memory_format=T.contiguous_format)
T.broadcast_tensors({0},{1})[0] T.atleast_2d({0}) T.clone({0}) {0}.conj() {0}.abs() {0}.angle() T.view_as_real({0}.to(T.complex128)) T.complex({0},{1})
T.utils.checkpoint.checkpoint(T.sin,{0},use_reentrant=False) T.hstack([{0},{0}]) T.vstack([{0},{0}]) T.cat([{0},{1}],{d})
{0}.masked_fill({0}>1,{1}) {0}.masked_fill(mask(tuple({0}.shape),2),0.25) T.masked_select({0},{0}>0.9) {0}.requires_grad_().mul(2) {0}.detach().mul(2)
T.dist({0},{1}) T.einsum('...,...->...',{0},{1}) """.split()

# of a tensor with dimensions
OPS_OF_DIMENSIONS = """{0}.index_add({d},{i},{0}.index_select({d},{i})) {0}.index_copy({d},{i},{0}.index_select({d},{i})) {0}.index_fill({d},{i},0.5)
{0}.index_select({d},{i}) {0}.take({i}) {0}.put({i},{0}.take({i})) {0}.scatter({d},{1}.long(),0.5) {0}.topk(1,{d})[0]
{0}.kthvalue(1,{d})[0] {0}.median({d})[0] {0}.sort({d},descending=True)[0] {0}.argsort({d}) {0}.unsqueeze(0).expand(2,*{0}.shape) {0}.repeat_interleave(2,{d})
{0}.diff(dim={d}) {0}.tile(2) {0}.narrow({d},{k},1) {0}[...,{k}] {0}[-1] {0}[:,None] {0}[1:] {0}[None,...,0]
{0}.unbind({d})[-1] {0}.split([1,{n}-1],{d})[1] {0}.chunk({n},{d})[0] T.hsplit({0},[1])[0] {0}.unfold({d},1,1) {0}.swapaxes(0,{d}) {0}.cumsum({d}).flip({d})
F.pad({0},(1,1)) F.pad({0},(0,1),value=0.5) {0}.roll((1,),({d},)) F.softmax({0},{d}) {0}.gather({d},{0}.long().clamp(0,0)) T.stack([{0},{1}],{d}) {0}.count_nonzero({d})
{0}.index_put(({i},),{0}[{i}]) {0}.index_put(({i},),{0}[0],accumulate=True) {0}[{0}>{1}] {0}[[0]] {0}[[0,0]] {0}.masked_scatter({0}>1,{0}) T.where({0}>1)[0]
F.layer_norm({0},{0}.shape[-1:]) {0}.renorm(2,0,1.) {0}.unflatten({d},(1,{n})) {0}.reshape(-1,1) {0}.reshape({0}.shape[::-1]) {0}.sum((0,{d})) {0}.mean(0,keepdim=True)""".split()

# of a matrix
OPS_OF_MATRICES = """{0}.t() {0}@{0}.t() {0}.t()@{0} {0}.mv({0}[0]) T.outer({0}[0],{0}[0]) {0}.triu() {0}.tril(-1) {0}.trace() {0}.diag() {0}.rot90() {0}.fliplr()
T.addmm({1},{0},{0}) T.einsum('ij,kj->ik',{0},{0}) T.dot({0}[0],{0}[0]) F.linear({0},{0},None) F.cross_entropy({0},{0}.argmax(1)) {0}.diagonal().sum() T.kron({0},{0})
{0}.unsqueeze(0)@{0}.unsqueeze(0).mT T.bmm({0}[None],{0}.t()[None]) {0}.diagonal_scatter({0}.diagonal()*2) F.embedding(index(0,1),{0}) {0}.cov() {0}.det() T.linalg.norm({0})""".split()

# written in place, of any tensor
WRITES = """{0}.cos_() {0}.erf_() {0}.expm1_() {0}.log1p_() {0}.rsqrt_() {0}.reciprocal_() {0}.square_() {0}.trunc_() {0}.frac_() {0}.round_()
{0}.ceil_() {0}.clamp_min_(0.7) {0}.clamp_max_(1.1) {0}.remainder_(0.3) {0}.cumprod_({d}) {0}.triu_() {0}.nan_to_num_() {0}.logit_(0.1) {0}.sinh_()
{0}-={1} {0}/={1} {0}**=2 {0}+=1 {0}*=0.5 {0}.add_({1},alpha=2) {0}.sub_({2},alpha=2) {0}.lerp_({1},{0}) {0}.addcmul_({1},{0},value=0.5) {0}.xlogy_({1}) {0}.sgn_()
F.hardtanh_({0},0.6,1.2) F.threshold_({0},0.9,0.5) F.relu6({0},inplace=True) F.celu({0},inplace=True) F.hardswish({0},inplace=True)
{0}.bernoulli_(0.5) {0}.random_(5) {0}.exponential_() {0}.log_normal_() {0}.ge_({1}) {0}.eq_({1}) {0}.masked_fill_({0}>1,{1}) {0}.masked_scatter_({0}>1,{1})
{0}.copy_({0}) {0}.copy_({1}.flatten()[0]) {0}.copy_({0}*2) {0}.mul_({0}.detach()) {0}.add_({0}.sum()) {0}.sub_({0}.mean()) {0}.data.add_(1) {0}.div_({1},rounding_mode='trunc')
{0}[()]=0.5 {0}[None]={1} {0}[...]={0}*2 {0}[{0}>{1}]=0.25 {0}.requires_grad_(True) {0}.fill_({0}.sum()) {0}.pow_({0}) {0}.fmod_({1}) {0}.zero_().add_(1)
T.add({0},1,out={0}) T.sin({0},out={0}) T.nn.init.constant_({0},0.5) {0}.neg_().neg_() {0}.float_power_(2)""".split()

# written in place, of a tensor with dimensions
WRITES_OF_DIMENSIONS = """{0}[{k}]=0.5 {0}[-1]={1} {0}[...,{k}]=0.5 {0}[...,-1]={0}[...,0] {0}[::2]*=2 {0}[0]+={0}[-1] {0}[{i}]+=1 {0}[1:]*={1} {0}[:,0]=0.5 {0}[{0}>1]*=2 {0}[[0,0]]=0.5
{0}.select({d},{k}).mul_(2) {0}.narrow({d},0,1).copy_({1}) {0}.transpose(0,{d}).add_(1) {0}.unbind({d})[0].add_(1) {0}.split(1,{d})[0].mul_(2) {0}.chunk(2,{d})[-1].zero_() {0}.unfold({d},1,1).mul_(2)
{0}.index_fill_({d},{i},{1}) {0}.index_add_({d},{i},{0}.index_select({d},{i}),alpha=2) {0}.index_copy_({d},{i},{0}.index_select({d},{i})) {0}.scatter_({d},{1}.long()*0,{0}) {0}.index_put_(({i},),{0}[{i}])
{0}.flatten().mul_(2) {0}.view(-1).mul_(2) {0}.reshape(-1).add_(1) {0}.squeeze().mul_(2) {0}.unsqueeze({d}).add_(1) {0}.expand_as({0}).mul_(2) {0}.mT.mul_(2) {0}.flip({d}).mul_(2) {0}.diagonal().zero_()
{0}.scatter_reduce_({d},{1}.long()*0,{0},'sum') {0}.scatter_add_({d},{1}.long()*0,{0}) {0}.index_reduce_({d},{i},{0}.index_select({d},{i}),'prod') {0}.sort({d})[0].mul_(2) {0}[:,None].add_(1) {0}[None].mul_(2) {0}.movedim(0,{d}).sub_(1)
{0}.detach()[0].fill_(2) {0}.data[0]=2 {0}.as_strided((1,),(1,)).add_(1) {0}.unflatten({d},(1,{n})).mul_(2) {0}.swapdims(0,{d}).mul_(2) {0}.swapaxes_(0,{d})""".split()
