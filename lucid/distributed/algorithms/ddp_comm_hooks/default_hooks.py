"""torch.distributed.algorithms.ddp_comm_hooks.default_hooks"""

from ...._base.dtype import DTYPES
from ....futures import Future

__all__ = [
    "allreduce_hook",
    "fp16_compress_hook",
    "bf16_compress_hook",
    "fp16_compress_wrapper",
    "bf16_compress_wrapper",
]


def _done(value):
    future = Future()
    future.set_result(value)
    return future


def allreduce_hook(process_group, bucket):
    """allreduce_hook(group, bucket) -> Future of the bucket's gradients"""
    return _done(bucket.buffer())


noop_hook = allreduce_hook


def _rounded(bucket, dtype):
    flat = bucket.buffer()
    return flat.to(DTYPES[dtype]).to(flat.dtype)


def fp16_compress_hook(process_group, bucket):
    """fp16_compress_hook(group, bucket) -> Future of the gradients, rounded to float16"""
    return _done(_rounded(bucket, "float16"))


def bf16_compress_hook(process_group, bucket):
    """bf16_compress_hook(group, bucket) -> Future of the gradients, rounded to bfloat16"""
    return _done(_rounded(bucket, "bfloat16"))


def _wrapper(dtype):
    def wrap(hook):
        def wrapped(hook_state, bucket):
            flat = bucket.buffer()
            bucket.set_buffer(flat.to(DTYPES[dtype]))
            result = hook(hook_state, bucket).wait()
            result = result[0] if isinstance(result, (list, tuple)) else result
            return _done(result.to(flat.dtype))

        return wrapped

    return wrap


fp16_compress_wrapper, bf16_compress_wrapper = _wrapper("float16"), _wrapper("bfloat16")
