"""Convolutions as C text: sums over windows straight from the images, one kernel for each shape.

    conv_source("conv", "kernel0", x_shape, w_shape, out_shape, float32, stride, padding, dilation, groups)
        -> (text, elements of scratch memory): void kernel0(T *x, T *w, T *out, T *scratch, long work)
    conv_source("conv_input", ...)   of (g, w, out); conv_source("conv_weight", ...) of (g, x, out)

A convolution and its gradient for the input are both sums over taps, sum over c and t of in[c][place + t] * w[c][t],
whose places are those of the output or, with a stride, every so many of them: then each phase has taps of its own.
A tile of places and of output channels stays in registers. Its lanes are channels, for the weights, repacked, lie that
way, while one element of the image stands in all of them; or they are places of a row, where rows are long enough and
there are few products for each place, for results then lie as they are written. The order of a sum depends on nothing
but the shape.
The tile is that of direct convolutions of E. Georganas et al., "Anatomy of High-Performance Deep Learning Convolutions
on SIMD Architectures" (2018).
"""

import math
from string import Template
from typing import NamedTuple

from .._base.dtype import float32, float64

HEAD = """\
#ifndef LUCID_CONV
#define LUCID_CONV
#if defined(__AVX512F__)
#define LUCID_BYTES 64
#define LUCID_TILE 12
#elif defined(__AVX__)
#define LUCID_BYTES 32
#define LUCID_TILE 6
#else
#define LUCID_BYTES 16
#define LUCID_TILE 12
#endif
#define LUCID_UNROLL _Pragma("GCC unroll 32")
#endif
#ifdef __clang__
#pragma STDC FP_CONTRACT ON
#else
#pragma GCC push_options
#pragma GCC optimize("fp-contract=fast")
#endif
"""

TAIL = """#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#else
#pragma GCC pop_options
#endif
"""

# lanes of a vector, vectors of channels in a tile, channels of a tile, tiles that all channels of a group take
TYPES = """\
typedef $T ${name}_v __attribute__((vector_size(LUCID_BYTES), aligned(sizeof($T))));
enum { ${name}_L = LUCID_BYTES / sizeof($T), ${name}_N = $channels <= ${name}_L ? 1 : 2,
       ${name}_W = ${name}_L * ${name}_N, ${name}_B = ($channels + ${name}_W - 1) / ${name}_W };
struct ${name}_arrays { const $T *x, *w; $T *out, *padded, *packed; };
"""

# the same where places of a row are the lanes: W channels at a time
ROW_TYPES = """\
typedef $T ${name}_v __attribute__((vector_size(LUCID_BYTES), aligned(sizeof($T))));
enum { ${name}_L = LUCID_BYTES / sizeof($T), ${name}_N = $columns <= ${name}_L ? 1 : 2,
       ${name}_M = LUCID_TILE * 2 / ${name}_N, ${name}_W = $channels < ${name}_M ? $channels : ${name}_M,
       ${name}_V = ${name}_L * ${name}_N, ${name}_B = ($channels + ${name}_W - 1) / ${name}_W };
struct ${name}_arrays { const $T *x, *w; $T *out, *padded, *packed; };
"""

PAD = """\
static void ${name}_pad(void *context, long plane)
{
  struct ${name}_arrays *s = context;
  const $T *x = s->x + plane * ($height * $width);
  $T *o = s->padded + plane * ($rows * $row);
  for (long r = 0; r < $rows; r++, o += $row) {
    long from = r - $top;
    __builtin_memset(o, 0, $row * sizeof($T));
    if (from >= 0 && from < $height) __builtin_memcpy(o + $left, x + from * $width, $width * sizeof($T));
  }
}
"""

PACK = """\
static void ${name}_pack(void *context, long block)
{
  struct ${name}_arrays *s = context;
  long first = block % ${name}_B * ${name}_W;
  const $T *w = s->w + block / ${name}_B * $group_step + first * $channel_step;
  $T *o = s->packed + block * (${name}_W * $inner * $taps);
  for (long c = 0; c < $inner; c++)
    for (long t = 0; t < $taps; t++, o += ${name}_W)
      for (long l = 0; l < ${name}_W; l++)
        o[l] = first + l < $channels ? w[l * $channel_step + c * $inner_step + t] : 0;
}
"""

PHASE = """\
static void ${name}_phase$number(void *context, long index)
{
  struct ${name}_arrays *s = context;
  long n = index / ($groups * ${name}_B), block = index % ($groups * ${name}_B), group = block / ${name}_B;
  long channel = block % ${name}_B * ${name}_W;
  long lanes = $channels - channel < ${name}_W ? $channels - channel : ${name}_W;
  const $T *x = s->padded + (n * $groups + group) * ($inner * $rows * $row);
  const $T *w = s->packed + block * (${name}_W * $inner * $taps);
  $T *out = s->out + ((n * $groups + group) * $channels + channel) * $out_plane;
  for (long tile = 0; tile < $count; tile += LUCID_TILE) {
    long first = tile + LUCID_TILE <= $count ? tile : $count > LUCID_TILE ? $count - LUCID_TILE : 0;
    const $T *q[LUCID_TILE];
    long at[LUCID_TILE];
    ${name}_v a[LUCID_TILE][${name}_N], zero = {0};
    LUCID_UNROLL for (int i = 0; i < LUCID_TILE; i++) {
      long p = first + i < $count ? first + i : $count - 1, r = p / $columns, c = p % $columns;
      q[i] = x + r * ($pace_rows * $row) + c * $pace_columns;
      at[i] = ($out_top + r * $step_rows) * $out_width + $out_left + c * $step_columns;
      for (int j = 0; j < ${name}_N; j++) a[i][j] = zero;
    }
    for (long c = 0; c < $inner; c++)
      for (long y = 0; y < $tap_rows; y++) {
        const $T *t = w + (c * $taps + $first_tap + y * $tap_step) * ${name}_W;
        long from = c * ($rows * $row) + $origin + y * $origin_step;
$reads      }
    for (int i = 0; i < LUCID_TILE && first + i < $count; i++)
      for (long l = 0; l < lanes; l++) out[l * $out_plane + at[i]] = a[i][l / ${name}_L][l % ${name}_L];
  }
}
"""

READ = """\
        {
          ${name}_v u[${name}_N];
          for (int j = 0; j < ${name}_N; j++) u[j] = *(const ${name}_v *)(t + $weight * ${name}_W + j * ${name}_L);
          LUCID_UNROLL for (int i = 0; i < LUCID_TILE; i++) {
            ${name}_v v = q[i][from + $offset] - zero;
            for (int j = 0; j < ${name}_N; j++) a[i][j] += v * u[j];
          }
        }
"""

ROW_PHASE = """\
static void ${name}_phase$number(void *context, long index)
{
  struct ${name}_arrays *s = context;
  long n = index / ($groups * ${name}_B), block = index % ($groups * ${name}_B), group = block / ${name}_B;
  long channel = block % ${name}_B * ${name}_W;
  long channels = $channels - channel < ${name}_W ? $channels - channel : ${name}_W;
  const $T *x = s->padded + (n * $groups + group) * ($inner * $rows * $row);
  const $T *w = s->packed + block * (${name}_W * $inner * $taps);
  $T *out = s->out + ((n * $groups + group) * $channels + channel) * $out_plane + $out_top * $out_width;
  for (long r = 0; r < $count / $columns; r++)
    for (long tile = 0; tile < $columns; tile += ${name}_V) {
      long first = tile + ${name}_V <= $columns ? tile : $columns > ${name}_V ? $columns - ${name}_V : 0;
      const $T *q = x + r * ($pace_rows * $row) + first;
      ${name}_v a[${name}_W][${name}_N], zero = {0};
      LUCID_UNROLL for (int i = 0; i < ${name}_W; i++) for (int j = 0; j < ${name}_N; j++) a[i][j] = zero;
      for (long c = 0; c < $inner; c++)
        for (long y = 0; y < $tap_rows; y++) {
          const $T *t = w + (c * $taps + $first_tap + y * $tap_step) * ${name}_W;
          long from = c * ($rows * $row) + $origin + y * $origin_step;
$reads        }
      LUCID_UNROLL for (int i = 0; i < ${name}_W; i++) {
        if (i >= channels) break;
        $T *o = out + i * $out_plane + r * ($step_rows * $out_width) + first;
        __builtin_memcpy(o, a[i], sizeof($T) * ($columns < ${name}_V ? $columns : ${name}_V));
      }
    }
}
"""

ROW_READ = """\
          {
            ${name}_v u[${name}_N];
            for (int j = 0; j < ${name}_N; j++) u[j] = *(const ${name}_v *)(q + from + $offset + j * ${name}_L);
            LUCID_UNROLL for (int i = 0; i < ${name}_W; i++) {
              ${name}_v v = t[$weight * ${name}_W + i] - zero;
              for (int j = 0; j < ${name}_N; j++) a[i][j] += v * u[j];
            }
          }
"""

SLACK = 64  # elements behind the last row, which its last vectors may read

# Of the weights' gradient: channels of g are the lanes, and a tile's rows are taps of input channels.
SPREAD = """\
static void ${name}_spread(void *context, long index)
{
  struct ${name}_arrays *s = context;
  long n = index / ($groups * ${name}_B), block = index % ($groups * ${name}_B), first = block % ${name}_B * ${name}_W;
  const $T *g = s->w + ((n * $groups + block / ${name}_B) * $channels + first) * $count;
  $T *o = s->packed + (block * $images + n) * ($count * ${name}_W);
  long lanes = $channels - first < ${name}_W ? $channels - first : ${name}_W;
  for (long l = 0; l < ${name}_W; l++)
    for (long p = 0; p < $count; p++) o[p * ${name}_W + l] = l < lanes ? g[l * $count + p] : 0;
}
static void ${name}_taps(void *context, long index)
{
  struct ${name}_arrays *s = context;
  long block = index / $chunks, chunk = index % $chunks, group = block / ${name}_B;
  long channel = block % ${name}_B * ${name}_W;
  long lanes = $channels - channel < ${name}_W ? $channels - channel : ${name}_W;
  long first = chunk * LUCID_TILE, from[LUCID_TILE];
  ${name}_v total[LUCID_TILE][${name}_N], zero = {0};
  if (first >= $rows_of_taps) return;
  LUCID_UNROLL for (int i = 0; i < LUCID_TILE; i++) {
    long k = first + i < $rows_of_taps ? first + i : $rows_of_taps - 1, c = k / $taps, t = k % $taps;
    from[i] = c * ($rows * $row) + t / $tap_columns * ($tap_row * $row) + t % $tap_columns * $tap_column;
    for (int j = 0; j < ${name}_N; j++) total[i][j] = zero;
  }
  for (long n = 0; n < $images; n++) {
    const $T *x = s->padded + (n * $groups + group) * ($inner * $rows * $row);
    const $T *g = s->packed + (block * $images + n) * ($count * ${name}_W);
    for (long stripe = 0; stripe < $out_rows; stripe += $stripe) {
      ${name}_v a[LUCID_TILE][${name}_N];
      LUCID_UNROLL for (int i = 0; i < LUCID_TILE; i++) for (int j = 0; j < ${name}_N; j++) a[i][j] = zero;
      const $T *q[LUCID_TILE];
      LUCID_UNROLL for (int i = 0; i < LUCID_TILE; i++) q[i] = x + from[i];
      for (long r = stripe; r < stripe + $stripe && r < $out_rows; r++)
        for (long c = 0; c < $columns; c++) {
          const $T *t = g + (r * $columns + c) * ${name}_W;
          long at = r * ($pace_rows * $row) + c * $pace_columns;
          ${name}_v u[${name}_N];
          for (int j = 0; j < ${name}_N; j++) u[j] = *(const ${name}_v *)(t + j * ${name}_L);
          LUCID_UNROLL for (int i = 0; i < LUCID_TILE; i++) {
            ${name}_v v = q[i][at] - zero;
            for (int j = 0; j < ${name}_N; j++) a[i][j] += v * u[j];
          }
        }
      LUCID_UNROLL for (int i = 0; i < LUCID_TILE; i++) for (int j = 0; j < ${name}_N; j++) total[i][j] += a[i][j];
    }
  }
  $T *out = s->out + (group * $channels + channel) * $rows_of_taps + first;
  for (long l = 0; l < lanes; l++)
    for (int i = 0; i < LUCID_TILE && first + i < $rows_of_taps; i++)
      out[l * $rows_of_taps + i] = total[i][l / ${name}_L][l % ${name}_L];
}
"""

KERNEL = (
    TAIL
    + """\
void $name($T *$first, $T *$second, $T *out, $T *scratch, long work)
{
  struct ${name}_arrays s = {x, w, out, $padded, scratch + $room};
$steps}
"""
)

STRIPE = 512  # places whose products are added up before they join the sum of all


class Phase(NamedTuple):
    """Along one dimension: the output's places first, first + step ... (count of them) are sums over taps; the input of
    place number i lies at i * pace + offset for each tap (its number, offset)."""

    first: int
    step: int
    count: int
    pace: int
    taps: tuple


class Axis(NamedTuple):
    """One dimension of a convolution: the input's size, the output's, its phases, and the room around the input."""

    size: int
    out: int
    phases: tuple
    before: int
    room: int


def _axis(size, out, phases):
    reach = [(t, (f.count - 1) * f.pace + t) for f in phases if f.count for _, t in f.taps]
    before = max([0, *[-low for low, _ in reach]])
    after = max([0, *[high - size + 1 for _, high in reach]])
    return Axis(size, out, tuple(phases), before, before + size + after)


def _forward(size, out, kernel, stride, padding, dilation):
    return _axis(size, out, [Phase(0, 1, out, stride, tuple([(k, k * dilation - padding) for k in range(kernel)]))])


def _backward(size, out, kernel, stride, padding, dilation):
    """For the gradient of the input: size is the gradient's."""
    phases = []
    for first in range(min(stride, out)):
        reads = [(k, first + padding - k * dilation) for k in range(kernel)]
        taps = tuple([(k, at // stride) for k, at in reads if at % stride == 0])
        phases.append(Phase(first, stride, -(-(out - first) // stride), 1, taps))
    return _axis(size, out, phases)


def conv_source(function, name, x_shape, w_shape, out_shape, dtype, stride, padding, dilation, groups):
    """See the head of this file; shapes are those of the first array, the second and the result."""
    make = {"conv": _summed, "conv_input": _summed, "conv_weight": _weights}[function]
    flat = len(x_shape) == 3  # one dimension is two, of which the first has one element
    x_shape, w_shape, out_shape = [(*s[:2], 1, s[2]) if flat else s for s in (x_shape, w_shape, out_shape)]
    stride, dilation = [(1, *s) if flat else s for s in (stride, dilation)]
    padding = (0, *padding) if flat else padding
    how = list(zip(stride, padding, dilation))
    names = {"name": name, "T": {float32: "float", float64: "double"}[dtype], "groups": groups}
    return make(function, names, x_shape, w_shape, out_shape, how, groups)


def _by_rows(columns):
    """How much of the speed of light a kernel may reach whose lanes are places of rows of this length."""
    return 0.85 * columns / (-(-columns // 32) * 32 if columns > 16 else 16)


def _by_channels(products):
    """The same where lanes are channels, of so many products for each place: results have to be turned round."""
    return products / (products + 100)


def is_direct(function, x_shape, w_shape, out_shape, stride, groups):
    """Is a kernel of this kind quicker than matrix products of unrolled windows? That was measured."""
    if len(x_shape) not in (3, 4) or not all(map(math.prod, (x_shape, w_shape, out_shape))):
        return False
    if function == "conv_weight":
        return x_shape[1] // groups >= 8
    inner, channels, places = x_shape[1] // groups, out_shape[1] // groups, math.prod(out_shape[2:])
    products = inner * math.prod(w_shape[2:])
    if channels < 4 or places <= 128 or math.prod(w_shape[2:]) == 1:
        return channels >= 4 and places <= 128
    rows = _by_rows(out_shape[-1]) if stride[-1] == 1 else 0
    return max(rows, _by_channels(products) if channels >= 8 else 0) > 0.6


def _padded(names, images, channels, axes, always=False):
    """(the text that puts room around images, elements of them, how it is run); nothing where there is none, unless it
    is always done."""
    (high, wide), planes = axes, images * channels
    names |= dict(rows=high.room, row=wide.room)
    if high.room == high.size and wide.room == wide.size and not always:
        return "", 0, "", "x"
    text = _say(
        PAD, names, height=high.size, width=wide.size, top=high.before, left=wide.before,
    )  # fmt: skip
    return text, planes * high.room * wide.room, f"  lucid_parallel({names['name']}_pad, &s, {planes});\n", "scratch"


def _say(text, names, **more):
    return Template(text).substitute(names, **more)


def _summed(function, names, x_shape, w_shape, out_shape, how, groups):
    images, outer, kernel = x_shape[0], out_shape[1] // groups, w_shape[2:]
    inner, taps = x_shape[1] // groups, math.prod(kernel)
    axes = [
        (_forward if function == "conv" else _backward)(size, out, k, *options)
        for size, out, k, options in zip(x_shape[2:], out_shape[2:], kernel, how)
    ]
    names |= dict(channels=outer, inner=inner, taps=taps, out_plane=math.prod(out_shape[2:]), out_width=out_shape[3])
    wide = axes[1].phases
    along = len(wide) == 1 == wide[0].pace and _by_rows(out_shape[3]) > _by_channels(inner * taps)
    names["columns"] = out_shape[3]
    pad, room, padding, padded = _padded(names, images, x_shape[1], axes, along)
    room += SLACK if along else 0
    turned = function == "conv_input"
    pack = _say(
        PACK, names, group_step=outer * inner * taps, channel_step=taps if turned else inner * taps,
        inner_step=outer * taps if turned else taps,
    )  # fmt: skip
    phases, runs = [], []
    for number, (high, wide) in enumerate([(h, w) for h in axes[0].phases for w in axes[1].phases]):
        phases.append(_phase(names, number, axes, high, wide, kernel, along))
        runs.append(f"  lucid_parallel({names['name']}_phase{number}, &s, {images * groups} * {names['name']}_B);\n")
    steps = [padding, f"  lucid_parallel({names['name']}_pack, &s, {groups} * {names['name']}_B);\n", *runs]
    text = "".join([HEAD, _say(ROW_TYPES if along else TYPES, names), pad, pack, *phases,
                    _say(KERNEL, names, first="x", second="w", padded=padded, room=room,
                         steps="".join(steps))])  # fmt: skip
    return text, room + groups * (outer + 32) * inner * taps


def _phase(names, number, axes, high, wide, kernel, along):
    row = axes[1].room
    rows, columns = [list(p.taps) if p.taps else [] for p in (high, wide)]
    reads, origin = "", 0
    if rows and columns:
        start = columns[0][1]
        reads = "".join(
            _say(ROW_READ if along else READ, names, weight=k - columns[0][0], offset=t - start) for k, t in columns
        )
        origin = (rows[0][1] + axes[0].before) * row + start + axes[1].before
    steps = [b - a for a, b in zip(rows[0], rows[1])] if len(rows) > 1 else (0, 0)
    names = names | dict(count=high.count * wide.count, columns=max(1, wide.count))
    return _say(
        ROW_PHASE if along else PHASE, names, number=number, reads=reads,
        pace_rows=high.pace, pace_columns=wide.pace, out_top=high.first, out_left=wide.first, step_rows=high.step,
        step_columns=wide.step, tap_rows=len(rows) if reads else 0, origin=origin, origin_step=steps[1] * row,
        first_tap=rows[0][0] * kernel[1] + columns[0][0] if reads else 0, tap_step=steps[0] * kernel[1],
    )  # fmt: skip


def _weights(function, names, g_shape, x_shape, out_shape, how, groups):
    images, channels, inner, kernel = g_shape[0], g_shape[1] // groups, x_shape[1] // groups, out_shape[2:]
    axes = [_forward(size, out, k, *options) for size, out, k, options in zip(x_shape[2:], g_shape[2:], kernel, how)]
    taps, count, columns = math.prod(kernel), math.prod(g_shape[2:]), g_shape[3]
    names |= dict(channels=channels, inner=inner, taps=taps, count=count, images=images, columns=columns)
    pad, room, padding, padded = _padded(names, images, x_shape[1], axes)
    least = 6  # places of the smallest tile
    (high, wide), chunks = [a.phases[0] for a in axes], -(-inner * taps // least)
    text = _say(
        SPREAD, names, chunks=chunks, rows_of_taps=inner * taps, tap_columns=kernel[1], tap_row=how[0][2],
        tap_column=how[1][2], out_rows=g_shape[2], stripe=max(1, STRIPE // columns), pace_rows=high.pace,
        pace_columns=wide.pace,
    )  # fmt: skip
    steps = [padding, *[f"  lucid_parallel({names['name']}_{part}, &s, {n} * {names['name']}_B);\n"
                        for part, n in (("spread", images * groups), ("taps", groups * chunks))]]  # fmt: skip
    # g has the place of the weights
    kernel = _say(KERNEL, names, first="w", second="x", padded=padded, room=room, steps="".join(steps))
    return "".join([HEAD, _say(TYPES, names), pad, text, kernel]), room + groups * images * count * (channels + 32)
