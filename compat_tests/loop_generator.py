"""Programs drawn at random, for loop nests: words, reductions, moves and choices over a few tensors.

f, inputs = drawn(seed, "float32")      # f(*inputs) -> a tuple of tensors
"""

import random
import types

import lucid as torch

# What is done with floats stays within a few hundred, so that a difference of rounding is no difference of results.
FLOATS = {
    1: """torch.tanh({0}) torch.sigmoid({0}) torch.exp(-{0}.abs()) torch.floor({0}) {0}.abs() -{0} torch.sqrt({0}.abs())
    torch.relu({0}) {0}.sign() torch.where({0}>0,{0},{0}*0.5) torch.softmax({0},-1) {0}.clamp(-1,2) torch.sin({0})
    {0}/({0}.abs().amax()+1) {0}.square()/({0}.square()+1) torch.log1p({0}.abs()) {0}.masked_fill({0}>1,0.25)
    {0}.bool().to({0}.dtype) {0}.to(torch.int32).to({0}.dtype)""".split(),
    2: """{0}+{1} {0}-{1} {0}*torch.tanh({1}) torch.maximum({0},{1}) torch.minimum({0},{1}) {0}/({1}.abs()+1)
    torch.where({0}>{1},{0},{1}) torch.lerp({0},{1},0.25) ({0}<{1}).to({0}.dtype) torch.addcmul({0},{1},{1},value=0.5)
    torch.cat([{0}.reshape(-1),{1}.reshape(-1)])[3:9].sum()""".split(),
    "reduced": """{0}.sum(-1,keepdim=True)/{0}.numel() {0}.mean(0,keepdim=True) {0}.amax(-1,keepdim=True) {0}.amin(0,keepdim=True)
    {0}.mean() {0}.amax() {0}.var(-1,keepdim=True,correction=0) {0}.logsumexp(0,keepdim=True)""".split(),
}
WHOLE = {
    1: """{0}.abs() -{0} {0}*3 {0}.clamp(-4,9) {0}.sign() {0}&7 {0}|1 {0}^5 ~{0} torch.where({0}>0,{0},2) {0}*({0}>2)
    {0}.masked_fill({0}>3,1) {0}.bool().to({0}.dtype) {0}.float().to({0}.dtype)""".split(),
    2: """{0}+{1} {0}-{1} torch.maximum({0},{1}) torch.minimum({0},{1}) torch.where({0}>{1},{0},{1}) {0}&{1} {0}|{1}
    {0}^{1} ({0}<{1}).to({0}.dtype) ({0}*{1}).clamp(-99,99)""".split(),
    "reduced": """{0}.sum(-1,keepdim=True).to({0}.dtype) {0}.amax(-1,keepdim=True) {0}.amin(0,keepdim=True)
    {0}.sum().to({0}.dtype) ({0}>0).sum(0,keepdim=True).to({0}.dtype)""".split(),
}
BOOLS = {
    1: "~{0} {0}.logical_not() torch.where({0},{0},True) {0}.masked_fill({0},False) {0}.float().bool()".split(),
    2: "{0}&{1} {0}|{1} {0}^{1} {0}=={1} {0}!={1} torch.where({0},{1},~{0}) {0}+{1} {0}*{1} {0}<{1}".split(),
    "reduced": """{0}.any(-1,keepdim=True) {0}.all(0,keepdim=True) {0}.any() {0}.all()
    ({0}.sum(0,keepdim=True)>2)""".split(),
}
PICKS = """{0}[({1}>0).long().reshape(-1)[:{m}]] {0}.reshape(-1)[({1}>0).long().reshape(-1)] {0}[torch.arange({0}.shape[0])-1]
{0}.gather(-1,({0}>0).long()) torch.where({1}>0,{0}[:1],{0}[-1:]) {0}.index_select(-1,({0}>0).long().reshape(-1)[:{n}])
{0}.triu() {0}.tril(1) torch.slice_scatter({0},{0}[1:]*1,0,1)""".split()
MOVES = """{0}.t().t() {0}.flip(0) torch.roll({0},1,-1) {0}.reshape(-1)[:{n}] {0}.expand({m},{n}).t().contiguous().t()
{0}[...,::2].repeat_interleave(1) torch.nn.functional.pad({0},(1,0))[...,:-1] torch.cat([{0},{0}],-1)[...,:{n}]""".split()


def table_of(dtype):
    return BOOLS if dtype == "bool" else FLOATS if "float" in dtype else WHOLE


STRAIGHT = types.SimpleNamespace(random=lambda: 1.0)


def input_of(rng, shape, dtype):
    kind = getattr(torch, dtype)
    if len(shape) == 2 and rng.random() < 0.5:  # another layout
        m, n = shape
        return rng.choice([
            lambda: input_of(STRAIGHT, (n, m), dtype).t(),
            lambda: input_of(STRAIGHT, (m, 2 * n), dtype)[:, ::2],
            lambda: input_of(STRAIGHT, (m + 1, n + 3), dtype)[1:, 2:-1],
            lambda: input_of(STRAIGHT, (1, n), dtype).expand(m, n),
        ])()  # fmt: skip
    if dtype == "bool":
        return torch.rand(shape) > 0.5
    return (torch.randn(shape) * 2).to(kind) if "float" in dtype else torch.randint(-9, 10, shape).to(kind)


def drawn(seed, dtype, length=9, rows=6, columns=10):
    """A program and its inputs; `f.text` is what it does."""
    shapes = [(rows, columns), (1, columns), (rows, 1), (columns,), ()]
    rng, words = random.Random(f"{seed} {dtype}"), table_of(dtype)
    torch.manual_seed(seed)
    inputs = [input_of(rng, rng.choice(shapes), dtype) for _ in range(2)] + [input_of(rng, shapes[0], dtype)]
    names, values, lines = ["a", "b", "c"], list(inputs), []
    while len(lines) < length:
        kind = rng.choice([1, 1, 2, 2, 2, "reduced", "moved", "picked"])
        text = rng.choice({"moved": MOVES, "picked": PICKS}.get(kind) or words[kind])
        picked = [rng.randrange(len(names)) for _ in range(2)]
        try:
            value = eval(
                text.format("x", "y", m=rows, n=columns),
                {"torch": torch, "x": values[picked[0]], "y": values[picked[1]]},
            )
        except (RuntimeError, IndexError, NotImplementedError):
            continue  # of shapes that do not go together
        if value.numel() > 4 * rows * columns or not value.numel():
            continue
        names.append(f"v{len(lines)}")
        lines.append(f"    {names[-1]} = {text.format(*[names[i] for i in picked], m=rows, n=columns)}")
        values.append(value)
    results = rng.sample(names[3:-1], 2) + [names[-1]]
    text = "def f(a, b, c):\n" + "\n".join(lines) + f"\n    return {', '.join(results)}\n"
    scope = {"torch": torch}
    exec(text, scope)
    scope["f"].text = text
    return scope["f"], tuple(inputs)


__all__ = ["drawn"]
