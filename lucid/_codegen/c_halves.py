"""Halves in C: floats that hold a half's value, and the functions that make them and round to them."""

from .._base.dtype import bfloat16, float16

HALVES = {bfloat16: "bf16", float16: "f16"}

# Round to nearest, ties to even; a NaN stays one.
HALF_FUNCTIONS = {
    "from_bf16": """static inline float lucid_from_bf16(unsigned short h)
{
  union { unsigned int i; float f; } u = { .i = (unsigned int)h << 16 };
  return u.f;
}""",
    "to_bf16": """static inline unsigned short lucid_to_bf16(float x)
{
  union { float f; unsigned int i; } u = { .f = x };
  return x != x ? 0x7fc0 : (u.i + 0x7fff + (u.i >> 16 & 1)) >> 16;
}""",
    "round_bf16": """static inline float lucid_round_bf16(float x)
{
  union { float f; unsigned int i; } u = { .f = x };
  u.i = x != x ? 0x7fc00000 : (u.i + 0x7fff + (u.i >> 16 & 1)) & 0xffff0000;
  return u.f;
}""",
    "from_f16": """static inline float lucid_from_f16(unsigned short h)
{
  union { unsigned short i; _Float16 f; } u = { .i = h };
  return u.f;
}""",
    "to_f16": """static inline unsigned short lucid_to_f16(float x)
{
  union { unsigned short i; _Float16 f; } u = { .f = (_Float16)x };
  return u.i;
}""",
    "round_f16": """static inline float lucid_round_f16(float x)
{
  return (_Float16)x;
}""",
}
