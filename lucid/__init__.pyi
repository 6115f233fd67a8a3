"""lucid: PyTorch that one person can read. `import lucid as torch`, or `python -m lucid script.py`.

Written by scripts/stubs: change the functions, or the types in scripts/stub_types.py.
"""

from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from types import ModuleType
from typing import Any, Literal, NoReturn, overload

from numpy import ndarray

from . import _C as _C
from . import _array as _array
from . import _aten as _aten
from . import _backend as _backend
from . import _base as _base
from . import _c10d as _c10d
from . import _codegen as _codegen
from . import _commands as _commands
from . import _custom_op as _custom_op
from . import _decomp as _decomp
from . import _dynamo as _dynamo
from . import _export as _export
from . import _func as _func
from . import _functorch as _functorch
from . import _fusion as _fusion
from . import _higher_order_ops as _higher_order_ops
from . import _inductor as _inductor
from . import _jit_internal as _jit_internal
from . import _modes as _modes
from . import _namespace as _namespace
from . import _ops as _ops
from . import _prims_common as _prims_common
from . import _refs as _refs
from . import _serial as _serial
from . import _subclasses as _subclasses
from . import _tensor as _tensor
from . import _torchvision as _torchvision
from . import _utils as _utils
from . import _vendor as _vendor
from . import amp as amp
from . import autograd as autograd
from . import compiler as compiler
from . import distributed as distributed
from . import distributions as distributions
from . import export as export
from . import fft as fft
from . import func as func
from . import functional as functional
from . import futures as futures
from . import fx as fx
from . import hub as hub
from . import jit as jit
from . import library as library
from . import linalg as linalg
from . import masked as masked
from . import multiprocessing as multiprocessing
from . import nn as nn
from . import onnx as onnx
from . import ops as ops
from . import optim as optim
from . import overrides as overrides
from . import package as package
from . import profiler as profiler
from . import quasirandom as quasirandom
from . import random as random
from . import return_types as return_types
from . import serialization as serialization
from . import signal as signal
from . import sparse as sparse
from . import special as special
from . import storage as storage
from . import testing as testing
from . import types as types
from . import utils as utils
from . import version as version
from . import viz as viz
from ._base.device import device as device
from ._base.dtype import dtype as dtype
from ._base.dtype import finfo as finfo
from ._base.dtype import iinfo as iinfo
from ._base.errors import AcceleratorError as AcceleratorError
from ._base.errors import OutOfMemoryError as OutOfMemoryError
from ._base.shape import Size as Size
from ._base.symbolic import SymBool as SymBool
from ._base.symbolic import SymFloat as SymFloat
from ._base.symbolic import SymInt as SymInt
from ._C import cpp as cpp
from ._C.keys import DispatchKey as DispatchKey
from ._C.keys import DispatchKeySet as DispatchKeySet
from ._C.keys import ExcludeDispatchKeyGuard as ExcludeDispatchKeyGuard
from ._C.streams import Event as Event
from ._C.streams import Stream as Stream
from ._func.creation.generator import Generator as Generator
from ._modes.autocast import autocast as autocast
from ._modes.grad_scaler import GradScaler as GradScaler
from ._modes.torch_function import DisableTorchFunction as DisableTorchFunction
from ._modes.torch_function import DisableTorchFunctionSubclass as DisableTorchFunctionSubclass
from ._namespace.cpp_names import FatalError as FatalError
from ._probes import __config__ as __config__
from ._probes import __future__ as __future__
from ._probes import _custom_ops as _custom_ops
from ._probes import _logging as _logging
from ._probes import _tensor_str as _tensor_str
from ._probes import _utils_internal as _utils_internal
from ._probes import _weights_only_unpickler as _weights_only_unpickler
from ._probes import accelerator as accelerator
from ._probes import ao as ao
from ._probes import backends as backends
from ._probes import classes as classes
from ._probes import cpu as cpu
from ._probes import cuda as cuda
from ._probes import monitor as monitor
from ._probes import mps as mps
from ._probes import mtia as mtia
from ._probes import nested as nested
from ._probes import numa as numa
from ._probes import quantization as quantization
from ._probes import torch_version as torch_version
from ._probes import xpu as xpu
from ._probes.torch_version import TorchVersion as TorchVersion
from ._serial.file_reader import PyTorchFileReader as PyTorchFileReader
from ._serial.typed import TypedStorage as TypedStorage
from ._serial.untyped import StorageBase as StorageBase
from ._serial.untyped import UntypedStorage as UntypedStorage
from ._tensor.tensor import Tensor as Tensor
from ._tensor.tensor import layout as layout
from ._tensor.tensor import memory_format as memory_format
from ._tensor.tensor import qscheme as qscheme
from .autograd.grad_mode import enable_grad as enable_grad
from .autograd.grad_mode import inference_mode as inference_mode
from .autograd.grad_mode import no_grad as no_grad
from .autograd.grad_mode import set_grad_enabled as set_grad_enabled
from .futures import Future as Future
from .signal import windows as windows
from .testing.file_check import FileCheck as FileCheck
from .types import FileLike, Number

AVG: Any
AggregationType: Any
ENABLE_FUSION: _bool
PRIVATE_OPS: tuple[Any, ...]
SUM: Any
Tag: Any
__lucid_version__: str
__version__: str
_loading: Any
bfloat16: dtype
bits16: dtype
bits1x8: dtype
bits2x4: dtype
bits4x2: dtype
bits8: dtype
bool: dtype
cdouble: dtype
cfloat: dtype
chalf: dtype
channels_last: memory_format
channels_last_3d: memory_format
complex128: dtype
complex32: dtype
complex64: dtype
contiguous_format: memory_format
default_generator: Generator
double: dtype
e: _float
float16: dtype
float32: dtype
float4_e2m1fn_x2: dtype
float64: dtype
float8_e4m3fn: dtype
float8_e4m3fnuz: dtype
float8_e5m2: dtype
float8_e5m2fnuz: dtype
float8_e8m0fnu: dtype
float: dtype
half: dtype
has_cuda: _bool
has_cudnn: _bool
has_lapack: _bool
has_mkl: _bool
has_mkldnn: _bool
has_mps: _bool
has_openmp: _bool
has_spectral: _bool
inf: _float
int16: dtype
int1: dtype
int2: dtype
int32: dtype
int3: dtype
int4: dtype
int5: dtype
int64: dtype
int6: dtype
int7: dtype
int8: dtype
int: dtype
jagged: layout
legacy_contiguous_format: memory_format
long: dtype
nan: _float
newaxis: None
per_channel_affine: Any
per_channel_affine_float_qparams: Any
per_channel_symmetric: Any
per_tensor_affine: Any
per_tensor_symmetric: Any
pi: _float
preserve_format: memory_format
qint32: dtype
qint8: dtype
quint2x4: dtype
quint4x2: dtype
quint8: dtype
short: dtype
sparse_bsc: layout
sparse_bsr: layout
sparse_coo: layout
sparse_csc: layout
sparse_csr: layout
strided: layout
uint16: dtype
uint1: dtype
uint2: dtype
uint32: dtype
uint3: dtype
uint4: dtype
uint5: dtype
uint64: dtype
uint6: dtype
uint7: dtype
uint8: dtype

class AliasDb(TypedStorage):
    """AliasDb(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class AnyType(TypedStorage):
    """AnyType(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class Argument(TypedStorage):
    """Argument(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class ArgumentSpec(TypedStorage):
    """ArgumentSpec(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class AwaitType(TypedStorage):
    """AwaitType(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class BFloat16Storage(TypedStorage):
    """torch's old constructor of storages of torch.bfloat16 elements."""

class BFloat16Tensor(Tensor):
    """torch's old constructor of torch.bfloat16 tensors."""

class BenchmarkConfig(TypedStorage):
    """BenchmarkConfig(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class BenchmarkExecutionStats(TypedStorage):
    """BenchmarkExecutionStats(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class Block(TypedStorage):
    """Block(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class BoolStorage(TypedStorage):
    """torch's old constructor of storages of torch.bool elements."""

class BoolTensor(Tensor):
    """torch's old constructor of torch.bool tensors."""

class BoolType(TypedStorage):
    """BoolType(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class BufferDict(TypedStorage):
    """BufferDict(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class ByteStorage(TypedStorage):
    """torch's old constructor of storages of torch.uint8 elements."""

class ByteTensor(Tensor):
    """torch's old constructor of torch.uint8 tensors."""

class CallStack(TypedStorage):
    """CallStack(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class Capsule(TypedStorage):
    """Capsule(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class CharStorage(TypedStorage):
    """torch's old constructor of storages of torch.int8 elements."""

class CharTensor(Tensor):
    """torch's old constructor of torch.int8 tensors."""

class ClassType(TypedStorage):
    """ClassType(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class Code(TypedStorage):
    """Code(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class CompilationUnit(TypedStorage):
    """CompilationUnit(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class CompleteArgumentSpec(TypedStorage):
    """CompleteArgumentSpec(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class ComplexDoubleStorage(TypedStorage):
    """torch's old constructor of storages of torch.complex128 elements."""

class ComplexFloatStorage(TypedStorage):
    """torch's old constructor of storages of torch.complex64 elements."""

class ComplexType(TypedStorage):
    """ComplexType(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class ConcreteModuleType(TypedStorage):
    """ConcreteModuleType(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class ConcreteModuleTypeBuilder(TypedStorage):
    """ConcreteModuleTypeBuilder(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class DeepCopyMemoTable(TypedStorage):
    """DeepCopyMemoTable(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class DeserializationStorageContext(TypedStorage):
    """DeserializationStorageContext(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class DeviceObjType(TypedStorage):
    """DeviceObjType(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class DictType(TypedStorage):
    """DictType(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class DoubleStorage(TypedStorage):
    """torch's old constructor of storages of torch.float64 elements."""

class DoubleTensor(Tensor):
    """torch's old constructor of torch.float64 tensors."""

class EnumType(TypedStorage):
    """EnumType(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class ErrorReport(TypedStorage):
    """ErrorReport(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class ExecutionPlan(TypedStorage):
    """ExecutionPlan(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class FloatStorage(TypedStorage):
    """torch's old constructor of storages of torch.float32 elements."""

class FloatTensor(Tensor):
    """torch's old constructor of torch.float32 tensors."""

class FloatType(TypedStorage):
    """FloatType(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class FunctionSchema(TypedStorage):
    """FunctionSchema(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class FutureType(TypedStorage):
    """FutureType(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class Gradient(TypedStorage):
    """Gradient(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class Graph(TypedStorage):
    """Graph(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class GraphExecutorState(TypedStorage):
    """GraphExecutorState(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class HalfStorage(TypedStorage):
    """torch's old constructor of storages of torch.float16 elements."""

class HalfTensor(Tensor):
    """torch's old constructor of torch.float16 tensors."""

class IODescriptor(TypedStorage):
    """IODescriptor(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class InferredType(TypedStorage):
    """InferredType(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class IntStorage(TypedStorage):
    """torch's old constructor of storages of torch.int32 elements."""

class IntTensor(Tensor):
    """torch's old constructor of torch.int32 tensors."""

class IntType(TypedStorage):
    """IntType(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class InterfaceType(TypedStorage):
    """InterfaceType(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class JITException(Exception):
    """An exception in TorchScript; lucid never raises it, programs catch it."""

class ListType(TypedStorage):
    """ListType(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class LiteScriptModule(TypedStorage):
    """LiteScriptModule(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class LockingLogger(TypedStorage):
    """LockingLogger(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class LoggerBase(TypedStorage):
    """LoggerBase(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class LongStorage(TypedStorage):
    """torch's old constructor of storages of torch.int64 elements."""

class LongTensor(Tensor):
    """torch's old constructor of torch.int64 tensors."""

class ModuleDict(TypedStorage):
    """ModuleDict(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class Node(TypedStorage):
    """Node(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class NoneType(TypedStorage):
    """NoneType(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class NoopLogger(TypedStorage):
    """NoopLogger(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class NumberType(TypedStorage):
    """NumberType(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class OperatorInfo(TypedStorage):
    """OperatorInfo(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class OptionalType(TypedStorage):
    """OptionalType(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class ParameterDict(TypedStorage):
    """ParameterDict(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class PyObjectType(TypedStorage):
    """PyObjectType(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class PyTorchFileWriter(TypedStorage):
    """PyTorchFileWriter(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class QInt32Storage(TypedStorage):
    """QInt32Storage(...): NotImplementedError, lucid has no quantized tensors."""

class QInt8Storage(TypedStorage):
    """QInt8Storage(...): NotImplementedError, lucid has no quantized tensors."""

class QUInt2x4Storage(TypedStorage):
    """QUInt2x4Storage(...): NotImplementedError, lucid has no quantized tensors."""

class QUInt4x2Storage(TypedStorage):
    """QUInt4x2Storage(...): NotImplementedError, lucid has no quantized tensors."""

class QUInt8Storage(TypedStorage):
    """QUInt8Storage(...): NotImplementedError, lucid has no quantized tensors."""

class RRefType(TypedStorage):
    """RRefType(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class ScriptClass(TypedStorage):
    """ScriptClass(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class ScriptClassFunction(TypedStorage):
    """ScriptClassFunction(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class ScriptDict(TypedStorage):
    """ScriptDict(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class ScriptDictIterator(TypedStorage):
    """ScriptDictIterator(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class ScriptDictKeyIterator(TypedStorage):
    """ScriptDictKeyIterator(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class ScriptFunction(TypedStorage):
    """ScriptFunction(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class ScriptList(TypedStorage):
    """ScriptList(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class ScriptListIterator(TypedStorage):
    """ScriptListIterator(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class ScriptMethod(TypedStorage):
    """ScriptMethod(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class ScriptModule(TypedStorage):
    """ScriptModule(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class ScriptModuleSerializer(TypedStorage):
    """ScriptModuleSerializer(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class ScriptObject(TypedStorage):
    """ScriptObject(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class ScriptObjectProperty(TypedStorage):
    """ScriptObjectProperty(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class SerializationStorageContext(TypedStorage):
    """SerializationStorageContext(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class ShortStorage(TypedStorage):
    """torch's old constructor of storages of torch.int16 elements."""

class ShortTensor(Tensor):
    """torch's old constructor of torch.int16 tensors."""

class StaticModule(TypedStorage):
    """StaticModule(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class Storage(TypedStorage):
    """torch's old constructor of storages of torch.float32 elements."""

class StreamObjType(TypedStorage):
    """StreamObjType(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class StringType(TypedStorage):
    """StringType(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class SymBoolType(TypedStorage):
    """SymBoolType(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class SymIntType(TypedStorage):
    """SymIntType(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class TensorType(TypedStorage):
    """TensorType(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class ThroughputBenchmark(TypedStorage):
    """ThroughputBenchmark(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class TracingState(TypedStorage):
    """TracingState(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class TupleType(TypedStorage):
    """TupleType(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class Type(TypedStorage):
    """Type(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class UnionType(TypedStorage):
    """UnionType(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class Use(TypedStorage):
    """Use(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

class Value(TypedStorage):
    """Value(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

def _check_is_tensor(value: Any, device: device | str | _int | None = None, dtype: dtype | None = None) -> Tensor:
    """value as a Tensor: itself when it is one, else made of numbers, lists or an array."""

def _foreach_copy_(tensors: Sequence[Tensor], src: Tensor, non_blocking: _bool = False) -> Tensor:
    """_foreach_copy_(tensors, src): each tensor filled with what src has at its place."""

def _foreach_zero_(tensors: Sequence[Tensor]) -> Tensor:
    """_foreach_zero_(tensors): each tensor filled with 0."""

def _make_per_channel_quantized_tensor(*args: Any, **kwargs: Any) -> NoReturn:
    """_make_per_channel_quantized_tensor(...): NotImplementedError, lucid has no quantized tensors."""

def _make_per_tensor_quantized_tensor(*args: Any, **kwargs: Any) -> NoReturn:
    """_make_per_tensor_quantized_tensor(...): NotImplementedError, lucid has no quantized tensors."""

def _match_grad_shape(data: Any, grad: Any, device: Any = None) -> Any:
    """grad in the shape of data (arrays or Tensors): summed over axes that data was stretched along, or stretched.

    RuntimeError where neither shape broadcasts to the other.
    """

def _neg_view(input: Tensor) -> Tensor:
    """_neg_view(input) -> Tensor: the same memory, negated when it is read."""

def _safe_softmax(input: Tensor, dim: _int) -> Tensor:
    """_safe_softmax(input, dim) -> Tensor: softmax, with zeros where every element along dim is -inf."""

def _sample_dirichlet(input: Tensor, generator: Generator | None = None) -> Tensor:
    """_sample_dirichlet(input, generator=None) -> Tensor of Dirichlet shares along the last dimension; float32 or
    float64.
    """

def _set_tensor_grad(tensor: Any, grad: Any, at: Any = ...) -> None:
    """Add grad (an array or a Tensor) to tensor.grad, or to its part `at`, if tensor wants a gradient."""

def _standard_gamma(input: Tensor, generator: Generator | None = None) -> Tensor:
    """_standard_gamma(input, generator=None) -> Tensor of gamma numbers of scale 1 whose shape parameters input gives;
    float32 or float64.
    """

def _weight_norm_interface(v: Tensor, g: Tensor, dim: _int = 0) -> tuple[Tensor, Tensor]:
    """_weight_norm_interface(v, g, dim=0) -> (w, norms): w = g * v / ||v||, the norms over all dimensions but dim.

    dim is the first or the last one.
    """

def abs(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """abs(input) -> Tensor: the absolute value (of complex input: a real tensor). Its gradient at 0 is 0."""

def abs_(input: Tensor) -> Tensor:
    """In-place form of abs."""

def absolute(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """abs(input) -> Tensor: the absolute value (of complex input: a real tensor). Its gradient at 0 is 0."""

def absolute_(input: Tensor) -> Tensor:
    """In-place form of abs."""

def acos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """acos(input) -> Tensor: the angle, in radians, whose cosine is input."""

def acos_(input: Tensor) -> Tensor:
    """In-place form of acos."""

def acosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """acosh(input) -> Tensor: the number whose hyperbolic cosine is input."""

def acosh_(input: Tensor) -> Tensor:
    """In-place form of acosh."""

def adaptive_avg_pool1d(input: Tensor, output_size: _int | Sequence[_int | None]) -> Tensor:
    """adaptive_avg_pool1d(input, output_size) -> Tensor: (N, C, L) or (C, L) averaged down to output_size."""

def adaptive_max_pool1d(input: Tensor, output_size: _int | Sequence[_int | None]) -> tuple[Tensor, Tensor]:
    """adaptive_max_pool1d(input, output_size) -> (Tensor, Tensor): maxima, and where they lie."""

def add(
    input: Tensor, other: Tensor | Number | _complex, *, alpha: Number | _complex = 1, out: Tensor | None = None
) -> Tensor:
    """add(input, other, *, alpha=1) -> Tensor: input + alpha * other."""

def add_(input: Tensor, other: Tensor | Number | _complex, *, alpha: Number | _complex = 1) -> Tensor:
    """In-place form of add."""

def addbmm(
    input: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    *,
    beta: Number | _complex = 1,
    alpha: Number | _complex = 1,
    out: Tensor | None = None,
) -> Tensor:
    """addbmm(input, batch1, batch2, *, beta=1, alpha=1) -> Tensor:
    beta * input + alpha * the sum over the batch of products.
    """

def addbmm_(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number | _complex = 1, alpha: Number | _complex = 1
) -> Tensor:
    """In-place form of addbmm."""

def addcdiv(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number | _complex = 1, out: Tensor | None = None
) -> Tensor:
    """addcdiv(input, tensor1, tensor2, *, value=1) -> Tensor: input + value * tensor1 / tensor2; not of integers."""

def addcdiv_(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number | _complex = 1) -> Tensor:
    """In-place form of addcdiv."""

def addcmul(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number | _complex = 1, out: Tensor | None = None
) -> Tensor:
    """addcmul(input, tensor1, tensor2, *, value=1) -> Tensor: input + value * tensor1 * tensor2."""

def addcmul_(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number | _complex = 1) -> Tensor:
    """In-place form of addcmul."""

def addmm(
    input: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    *,
    beta: Number | _complex = 1,
    alpha: Number | _complex = 1,
    out: Tensor | None = None,
) -> Tensor:
    """addmm(input, mat1, mat2, *, beta=1, alpha=1) -> Tensor: beta * input + alpha * (mat1 @ mat2)."""

def addmm_(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number | _complex = 1, alpha: Number | _complex = 1
) -> Tensor:
    """In-place form of addmm."""

def addmv(
    input: Tensor,
    mat: Tensor,
    vec: Tensor,
    *,
    beta: Number | _complex = 1,
    alpha: Number | _complex = 1,
    out: Tensor | None = None,
) -> Tensor:
    """addmv(input, mat, vec, *, beta=1, alpha=1) -> Tensor: beta * input + alpha * (mat @ vec)."""

def addmv_(
    input: Tensor, mat: Tensor, vec: Tensor, *, beta: Number | _complex = 1, alpha: Number | _complex = 1
) -> Tensor:
    """In-place form of addmv."""

def addr(
    input: Tensor,
    vec1: Tensor,
    vec2: Tensor,
    *,
    beta: Number | _complex = 1,
    alpha: Number | _complex = 1,
    out: Tensor | None = None,
) -> Tensor:
    """addr(input, vec1, vec2, *, beta=1, alpha=1) -> Tensor:
    beta * input + alpha * the outer product of two vectors.
    """

def addr_(
    input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Number | _complex = 1, alpha: Number | _complex = 1
) -> Tensor:
    """In-place form of addr."""

def adjoint(input: Tensor) -> Tensor:
    """adjoint(input) -> Tensor: matrices transposed and conjugated."""

def affine_grid_generator(theta: Tensor, size: Sequence[_int], align_corners: _bool) -> Tensor:
    """affine_grid_generator(theta, size, align_corners) -> Tensor: theta (N, 2, 3) or (N, 3, 4) at every pixel."""

def alias_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """alias_copy(...) -> what alias gives, in memory of its own."""

def all(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] | None = None,
    keepdims: _bool | None = None,
) -> Tensor:
    """all(input, dim=None, keepdim=False) -> bool Tensor (uint8 for uint8): are all elements non-zero?"""

def allclose(
    input: Tensor, other: Tensor, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False
) -> _bool:
    """allclose(input, other, ...) -> bool: is isclose true everywhere?"""

def alpha_dropout(input: Tensor, p: _float, train: _bool) -> Tensor:
    """alpha_dropout(input, p, train) -> Tensor; see nn.functional."""

def alpha_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor:
    """alpha_dropout_(input, p, train) -> Tensor; see nn.functional."""

def amax(
    input: Tensor,
    dim: _int | Sequence[_int] = (),
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] | None = None,
    keepdims: _bool | None = None,
) -> Tensor:
    """amax(input, dim=(), keepdim=False) -> Tensor: the largest over dim; a NaN wins; ties share the gradient."""

def amin(
    input: Tensor,
    dim: _int | Sequence[_int] = (),
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] | None = None,
    keepdims: _bool | None = None,
) -> Tensor:
    """amin(input, dim=(), keepdim=False) -> Tensor: the smallest over dim; a NaN wins; ties share the gradient."""

def aminmax(
    input: Tensor, *, dim: _int | None = None, keepdim: _bool = False, out: tuple[Tensor, ...] | None = None
) -> return_types.aminmax:
    """aminmax(input, *, dim=None, keepdim=False) -> (min, max): both extrema, of all or along one dimension."""

def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """angle(input) -> Tensor: the argument of a complex number, in radians; 0 or pi for a real one, NaN for NaN."""

def any(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] | None = None,
    keepdims: _bool | None = None,
) -> Tensor:
    """any(input, dim=None, keepdim=False) -> bool Tensor (uint8 for uint8): is some element non-zero?"""

@overload
def arange(
    end: Number,
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """arange(start=0, end, step=1) -> 1-D Tensor of the values from start up to, without, end."""

@overload
def arange(
    start: Number,
    end: Number,
    step: Number = 1,
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor: ...
def arccos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """acos(input) -> Tensor: the angle, in radians, whose cosine is input."""

def arccos_(input: Tensor) -> Tensor:
    """In-place form of acos."""

def arccosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """acosh(input) -> Tensor: the number whose hyperbolic cosine is input."""

def arccosh_(input: Tensor) -> Tensor:
    """In-place form of acosh."""

def arcsin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """asin(input) -> Tensor: the angle, in radians, whose sine is input."""

def arcsin_(input: Tensor) -> Tensor:
    """In-place form of asin."""

def arcsinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """asinh(input) -> Tensor: the number whose hyperbolic sine is input."""

def arcsinh_(input: Tensor) -> Tensor:
    """In-place form of asinh."""

def arctan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """atan(input) -> Tensor: the angle, in radians, whose tangent is input."""

def arctan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """atan2(input, other) -> Tensor: the angle, in radians, of the point (other, input), in (-pi, pi]."""

def arctan2_(input: Tensor, other: Tensor) -> Tensor:
    """In-place form of atan2."""

def arctan_(input: Tensor) -> Tensor:
    """In-place form of atan."""

def arctanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """atanh(input) -> Tensor: the number whose hyperbolic tangent is input."""

def arctanh_(input: Tensor) -> Tensor:
    """In-place form of atanh."""

def are_deterministic_algorithms_enabled() -> _bool:
    """are_deterministic_algorithms_enabled() -> bool: what use_deterministic_algorithms was told."""

def argmax(
    input: Tensor,
    dim: _int | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
    axis: _int | None = None,
    keepdims: _bool | None = None,
) -> Tensor:
    """argmax(input, dim=None, keepdim=False) -> int64 Tensor: where the largest is (the first of equals; NaN wins)."""

def argmin(
    input: Tensor,
    dim: _int | None = None,
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
    axis: _int | None = None,
    keepdims: _bool | None = None,
) -> Tensor:
    """argmin(input, dim=None, keepdim=False) -> int64 Tensor: where the smallest is (the first of equals; NaN wins)."""

def argsort(input: Tensor, dim: _int = -1, descending: _bool = False, stable: _bool = False) -> Tensor:
    """argsort(input, dim=-1, descending=False, stable=False) -> int64 Tensor: the indices that sort input along dim."""

def argwhere(input: Tensor) -> Tensor:
    """argwhere(input) -> (n, ndim) int64 Tensor: the coordinates of elements that are not zero."""

def as_strided(
    input: Tensor, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None
) -> Tensor:
    """as_strided(input, size, stride, storage_offset=None) -> Tensor: a view of input's storage with these strides."""

def as_strided_(
    input: Tensor, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None
) -> Tensor:
    """as_strided_(input, size, stride, storage_offset=None) -> Tensor: input with other sizes and strides."""

def as_strided_copy(
    input: Tensor,
    size: Sequence[_int],
    stride: Sequence[_int],
    storage_offset: _int | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """as_strided_copy(input, size, stride, storage_offset=None) -> what as_strided gives, in memory of its own."""

def as_strided_scatter(
    input: Tensor, src: Tensor, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None
) -> Tensor:
    """as_strided_scatter(input, src, size, stride, storage_offset=None) -> Tensor:
    a copy whose as_strided part is src.
    """

def as_tensor(data: Any, dtype: dtype | None = None, device: device | str | _int | None = None) -> Tensor:
    """as_tensor(data) -> Tensor: shares memory and graph with data where it can."""

def asarray(
    obj: Any,
    *,
    dtype: dtype | None = None,
    device: device | str | _int | None = None,
    copy: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor:
    """asarray(obj) -> Tensor: from a tensor, an array, a buffer or numbers; shares memory unless copy=True."""

def asin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """asin(input) -> Tensor: the angle, in radians, whose sine is input."""

def asin_(input: Tensor) -> Tensor:
    """In-place form of asin."""

def asinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """asinh(input) -> Tensor: the number whose hyperbolic sine is input."""

def asinh_(input: Tensor) -> Tensor:
    """In-place form of asinh."""

def atan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """atan(input) -> Tensor: the angle, in radians, whose tangent is input."""

def atan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """atan2(input, other) -> Tensor: the angle, in radians, of the point (other, input), in (-pi, pi]."""

def atan2_(input: Tensor, other: Tensor) -> Tensor:
    """In-place form of atan2."""

def atan_(input: Tensor) -> Tensor:
    """In-place form of atan."""

def atanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """atanh(input) -> Tensor: the number whose hyperbolic tangent is input."""

def atanh_(input: Tensor) -> Tensor:
    """In-place form of atanh."""

@overload
def atleast_1d(tensor: Tensor, /) -> Tensor:
    """atleast_1d(*tensors) -> Tensor or tuple: 0-dim tensors as shape (1,), others as they are."""

@overload
def atleast_1d(tensors: Sequence[Tensor], /) -> tuple[Tensor, ...]: ...
@overload
def atleast_1d(first: Tensor, second: Tensor, /, *more: Tensor) -> tuple[Tensor, ...]: ...
@overload
def atleast_2d(tensor: Tensor, /) -> Tensor:
    """atleast_2d(*tensors) -> Tensor or tuple: with at least two dimensions, new ones in front."""

@overload
def atleast_2d(tensors: Sequence[Tensor], /) -> tuple[Tensor, ...]: ...
@overload
def atleast_2d(first: Tensor, second: Tensor, /, *more: Tensor) -> tuple[Tensor, ...]: ...
@overload
def atleast_3d(tensor: Tensor, /) -> Tensor:
    """atleast_3d(*tensors) -> Tensor or tuple:
    with at least three dimensions: (n,) -> (1, n, 1), (m, n) -> (m, n, 1).
    """

@overload
def atleast_3d(tensors: Sequence[Tensor], /) -> tuple[Tensor, ...]: ...
@overload
def atleast_3d(first: Tensor, second: Tensor, /, *more: Tensor) -> tuple[Tensor, ...]: ...
def autocast_decrement_nesting() -> _int:
    """autocast_decrement_nesting() -> int: one context less, so many are left."""

def autocast_increment_nesting() -> _int:
    """autocast_increment_nesting() -> int: one context more is entered, so many are."""

def avg_pool1d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0,
    ceil_mode: _bool = False,
    count_include_pad: _bool = True,
) -> Tensor:
    """avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True) -> Tensor.

    Like avg_pool2d for input (N, C, L) or (C, L).
    """

def baddbmm(
    input: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    *,
    beta: Number | _complex = 1,
    alpha: Number | _complex = 1,
    out: Tensor | None = None,
) -> Tensor:
    """baddbmm(input, batch1, batch2, *, beta=1, alpha=1) -> Tensor:
    beta * input + alpha * (batch1 @ batch2), batches of matrices.
    """

def baddbmm_(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number | _complex = 1, alpha: Number | _complex = 1
) -> Tensor:
    """In-place form of baddbmm."""

def bartlett_window(
    window_length: _int,
    periodic: _bool = True,
    *,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: device | str | _int | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor:
    """bartlett_window(window_length, periodic=True) -> Tensor of window_length: a triangle, 1 - |2 n / (N - 1) - 1|."""

def batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: _bool,
    momentum: _float,
    eps: _float,
    cudnn_enabled: _bool = True,
) -> Tensor:
    """batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled) -> Tensor."""

def batch_norm_backward_elemt(*args: Any, **kwargs: Any) -> NoReturn:
    """batch_norm_backward_elemt(): NotImplementedError, lucid has no CUDA, which alone has this kernel."""

def batch_norm_backward_reduce(*args: Any, **kwargs: Any) -> NoReturn:
    """batch_norm_backward_reduce(): NotImplementedError, lucid has no CUDA, which alone has this kernel."""

def batch_norm_elemt(*args: Any, **kwargs: Any) -> NoReturn:
    """batch_norm_elemt(): NotImplementedError, lucid has no CUDA, which alone has this kernel."""

def batch_norm_gather_stats(*args: Any, **kwargs: Any) -> NoReturn:
    """batch_norm_gather_stats(): NotImplementedError, lucid has no CUDA, which alone has this kernel."""

def batch_norm_gather_stats_with_counts(*args: Any, **kwargs: Any) -> NoReturn:
    """batch_norm_gather_stats_with_counts(): NotImplementedError, lucid has no CUDA, which alone has this kernel."""

def batch_norm_stats(*args: Any, **kwargs: Any) -> NoReturn:
    """batch_norm_stats(): NotImplementedError, lucid has no CUDA, which alone has this kernel."""

def batch_norm_update_stats(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, momentum: _float
) -> tuple[Tensor, Tensor]:
    """batch_norm_update_stats(input, running_mean, running_var, momentum) -> (mean, biased variance) of each channel,
    with which the running ones are updated (the variance unbiased).
    """

def bernoulli(
    input: Tensor, p: _float | None = None, *, generator: Generator | None = None, out: Tensor | None = None
) -> Tensor:
    """bernoulli(input, *, generator=None, out=None) -> Tensor of zeros and ones, 1 with the probability that input
    gives.

    bernoulli(input, p) -> Tensor like input, 1 with probability p everywhere.
    """

def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """bilinear(input1, input2, weight, bias=None) -> Tensor:
    input1 @ weight[o] @ input2 + bias, (*, in1), (*, in2) -> (*, out).
    """

def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, pos_weight: Tensor | None = None, reduction: _int = 0
) -> Tensor:
    """binary_cross_entropy_with_logits(input, target, weight=None, pos_weight=None, reduction=0) -> Tensor."""

def bincount(input: Tensor, weights: Tensor | None = None, minlength: _int = 0) -> Tensor:
    """bincount(input, weights=None, minlength=0) -> Tensor:
    how often each of 0, 1, 2 ... occurs, or its total weight.
    """

def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor:
    """binomial(count, prob, generator=None) -> Tensor of successes in `count` trials of probability `prob`; broadcast
    together, both float32 or both float64.
    """

def bitwise_and(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor:
    """bitwise_and(input, other) -> Tensor: the bits that both have. Integers and bools only."""

def bitwise_and_(input: Tensor, other: Tensor | Number | _complex) -> Tensor:
    """In-place form of bitwise_and."""

def bitwise_left_shift(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor:
    """bitwise_left_shift(input, other) -> Tensor: input * 2**other in the type's bits; 0 for a shift out of range."""

def bitwise_left_shift_(input: Tensor, other: Tensor | Number | _complex) -> Tensor:
    """In-place form of bitwise_left_shift."""

def bitwise_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """bitwise_not(input) -> Tensor: every bit flipped (logical not for bools). Integers and bools only."""

def bitwise_not_(input: Tensor) -> Tensor:
    """In-place form of bitwise_not."""

def bitwise_or(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor:
    """bitwise_or(input, other) -> Tensor: the bits that either has. Integers and bools only."""

def bitwise_or_(input: Tensor, other: Tensor | Number | _complex) -> Tensor:
    """In-place form of bitwise_or."""

def bitwise_right_shift(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor:
    """bitwise_right_shift(input, other) -> Tensor: input / 2**other rounded down; one out of range leaves the sign."""

def bitwise_right_shift_(input: Tensor, other: Tensor | Number | _complex) -> Tensor:
    """In-place form of bitwise_right_shift."""

def bitwise_xor(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor:
    """bitwise_xor(input, other) -> Tensor: the bits that exactly one has. Integers and bools only."""

def bitwise_xor_(input: Tensor, other: Tensor | Number | _complex) -> Tensor:
    """In-place form of bitwise_xor."""

def blackman_window(
    window_length: _int,
    periodic: _bool = True,
    *,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: device | str | _int | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor:
    """blackman_window(window_length, periodic=True) -> Tensor:
    0.42 - 0.5 cos(2 pi n / (N - 1)) + 0.08 cos(4 pi n / (N - 1)).
    """

def block_diag(*tensors: Tensor) -> Tensor:
    """block_diag(*tensors) -> 2-D Tensor with the given ones (2-D or less) along its diagonal, zeros elsewhere."""

def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """bmm(input, mat2) -> Tensor: products of matrices in a batch, (b, n, m) @ (b, m, p) -> (b, n, p)."""

def broadcast_shapes(*shapes: _int | Sequence[_int]) -> Size:
    """broadcast_shapes(*shapes) -> Size: the shape that all of them expand to."""

def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """broadcast_tensors(*tensors) -> tuple: each expanded to the shape they broadcast to."""

def broadcast_to(input: Tensor, size: Sequence[_int]) -> Tensor:
    """broadcast_to(input, size) -> Tensor: expand(size)."""

def bucketize(
    input: Tensor | Number | _complex,
    boundaries: Tensor,
    *,
    out_int32: _bool = False,
    right: _bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """bucketize(input, boundaries, *, right=False) -> int64 Tensor:
    the bucket between sorted boundaries each value falls in.
    """

def can_cast(from_: dtype, to: dtype) -> _bool:
    """can_cast(from_, to) -> bool: may a result of type `from_` be stored in type `to`?"""

def cartesian_prod(*tensors: Tensor) -> Tensor:
    """cartesian_prod(*tensors) -> (n, len(tensors)) Tensor: every way to take one element of each vector."""

def cat(tensors: Sequence[Tensor], dim: _int = 0, *, axis: _int | None = None, out: Tensor | None = None) -> Tensor:
    """cat(tensors, dim=0) -> Tensor: one after the other along dim; the other sizes must agree."""

def ccol_indices_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """ccol_indices_copy(input) -> Tensor: what ccol_indices gives, in memory of its own."""

def cdist(x1: Tensor, x2: Tensor, p: _float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary") -> Tensor:
    """cdist(x1, x2, p=2.0) -> Tensor: p-norm distances of all pairs of rows, (*, n, m) and (*, r, m) -> (*, n, r)."""

def ceil(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """ceil(input) -> Tensor: the smallest integer that is not smaller."""

def ceil_(input: Tensor) -> Tensor:
    """In-place form of ceil."""

def celu(input: Tensor, alpha: _float = 1.0) -> Tensor:
    """celu(input, alpha=1.0) -> Tensor: input above 0, else alpha * (exp(input / alpha) - 1)."""

def celu_(input: Tensor, alpha: _float = 1.0) -> Tensor:
    """In-place form of celu."""

def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    """chain_matmul(*matrices) -> Tensor: the older name of linalg.multi_dot, for matrices only."""

def channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """channel_shuffle(input, groups) -> Tensor: channels (dimension 1) dealt round the groups (Zhang et al. 2018)."""

def cholesky(input: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """cholesky(input, upper=False) -> Tensor: the older name of linalg.cholesky."""

def cholesky_inverse(L: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """cholesky_inverse(L, upper=False) -> Tensor: the inverse of A = L L^H (upper: L^H L)."""

def cholesky_solve(B: Tensor, L: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """cholesky_solve(B, L, upper=False) -> Tensor: X with A X = B, where A = L L^H (upper: L^H L)."""

def choose_qparams_optimized(*args: Any, **kwargs: Any) -> NoReturn:
    """choose_qparams_optimized(): NotImplementedError, lucid has no quantized tensors."""

def chunk(input: Tensor, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]:
    """chunk(input, chunks, dim=0) -> tuple of at most `chunks` views, all of one size but the last."""

def clamp(
    input: Tensor,
    min: Tensor | Number | _complex | None = None,
    max: Tensor | Number | _complex | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """clamp(input, min=None, max=None) -> Tensor: limited to [min, max]; bounds are numbers or tensors, None for none.

    Where min > max the result is max. RuntimeError without any bound.
    """

def clamp_(
    self: Tensor, min: Tensor | Number | _complex | None = None, max: Tensor | Number | _complex | None = None
) -> Tensor:
    """In-place form of clamp."""

def clamp_max(input: Tensor, max: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor:
    """clamp_max(input, max) -> Tensor: input, but nothing above max (a number or a tensor)."""

def clamp_max_(self: Tensor, max: Tensor | Number | _complex) -> Tensor:
    """In-place form of clamp_max."""

def clamp_min(input: Tensor, min: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor:
    """clamp_min(input, min) -> Tensor: input, but nothing below min (a number or a tensor)."""

def clamp_min_(self: Tensor, min: Tensor | Number | _complex) -> Tensor:
    """In-place form of clamp_min."""

def clear_autocast_cache() -> None:
    """clear_autocast_cache(): forget the parameters that were cast."""

def clip(
    input: Tensor,
    min: Tensor | Number | _complex | None = None,
    max: Tensor | Number | _complex | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """clamp(input, min=None, max=None) -> Tensor: limited to [min, max]; bounds are numbers or tensors, None for none.

    Where min > max the result is max. RuntimeError without any bound.
    """

def clip_(
    self: Tensor, min: Tensor | Number | _complex | None = None, max: Tensor | Number | _complex | None = None
) -> Tensor:
    """In-place form of clamp."""

def clone(input: Tensor, *, memory_format: memory_format = ...) -> Tensor:
    """clone(input, *, memory_format=preserve_format) -> Tensor: a copy, part of the graph."""

def col_indices_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """col_indices_copy(input) -> Tensor: what col_indices gives, in memory of its own."""

def column_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """column_stack(tensors) -> Tensor: vectors become columns, then hstack."""

def combinations(input: Tensor, r: _int = 2, with_replacement: _bool = False) -> Tensor:
    """combinations(input, r=2, with_replacement=False) -> (n, r) Tensor: every choice of r elements, in order."""

def compile(
    model: Callable[..., Any] | None = None,
    *,
    fullgraph: _bool = False,
    dynamic: _bool | None = None,
    backend: Any = None,
    mode: str | None = None,
    options: Any = None,
    name: str | None = None,
    disable: _bool = False,
    recompile_limit: _int | None = None,
    isolate_recompiles: _bool = False,
    shapes_spec: Any = None,
) -> Any:
    """compile(model, *, fullgraph=False, dynamic=None, backend=None, mode=None, options=None, disable=False, ...).

    model, a function or module, compiled when it is called; without it a decorator. backend: a name or f(graph module,
    example inputs) -> callable; None: get_default_backend(). recompile_limit: how many variants of one place there may
    be. isolate_recompiles: they are not shared with other calls of compile. fullgraph: torch._dynamo.exc.Unsupported
    where one graph is not enough. mode: a name for options ("max-autotune"), see torch._inductor.list_mode_options();
    options: {setting of torch._inductor.config: value}. Of both only one may be given; RuntimeError for unknown ones.
    """

def compiled_with_cxx11_abi() -> _bool:
    """compiled_with_cxx11_abi() -> True, what torch's wheels say."""

def complex(real: Tensor, imag: Tensor, *, out: Tensor | None = None) -> Tensor:
    """complex(real, imag) -> complex Tensor with these parts, of one floating type."""

def concat(tensors: Sequence[Tensor], dim: _int = 0, *, axis: _int | None = None, out: Tensor | None = None) -> Tensor:
    """cat(tensors, dim=0) -> Tensor: one after the other along dim; the other sizes must agree."""

def concatenate(
    tensors: Sequence[Tensor], dim: _int = 0, *, axis: _int | None = None, out: Tensor | None = None
) -> Tensor:
    """cat(tensors, dim=0) -> Tensor: one after the other along dim; the other sizes must agree."""

def cond(
    pred: Tensor | Number | _complex, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Any = ()
) -> Any:
    """cond(pred, true_fn, false_fn, operands=()): true_fn(*operands) if pred else false_fn(*operands).

    pred: a number, or a tensor of one element. With a tensor, the functions must not return or change their operands,
    which are tensors in any nests of dictionaries, lists and tuples; they return tensors or ints.
    """

def conj(input: Tensor) -> Tensor:
    """conj(input) -> Tensor: the complex conjugate, a view (`is_conj`); a real tensor itself."""

def conj_physical(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """conj_physical(input) -> Tensor: the complex conjugate in memory of its own; a real tensor itself."""

def conj_physical_(input: Tensor) -> Tensor:
    """In-place form of conj_physical."""

def constant_pad_nd(input: Tensor, pad: Sequence[_int], value: Number | _complex = 0) -> Tensor:
    """constant_pad_nd(input, pad, value=0) -> Tensor: `value` around input; a negative width crops.

    pad is (before, after) of the last dimension, then of the one before it, and so on.
    """

def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] | str = 0,
    dilation: _int | Sequence[_int] = 1,
    groups: _int = 1,
) -> Tensor:
    """conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1) -> Tensor: 1-D correlation.

    input (N, C, L) or (C, L); weight (O, C/groups, k); bias (O,). padding may be "valid" or "same";
    the other arguments are an int or a tuple of 1. Output size: (n + 2 padding - dilation (k - 1) - 1) // stride +
    1. RuntimeError where sizes do not fit.
    """

def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] | str = 0,
    dilation: _int | Sequence[_int] = 1,
    groups: _int = 1,
) -> Tensor:
    """conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1) -> Tensor: 2-D correlation.

    input (N, C, H, W) or (C, H, W); weight (O, C/groups, kh, kw); bias (O,). padding may be "valid" or "same";
    the other arguments are an int or a tuple of 2. Output size: (n + 2 padding - dilation (k - 1) - 1) // stride +
    1. RuntimeError where sizes do not fit.
    """

def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] | str = 0,
    dilation: _int | Sequence[_int] = 1,
    groups: _int = 1,
) -> Tensor:
    """conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1) -> Tensor: 3-D correlation.

    input (N, C, D, H, W) or (C, D, H, W); weight (O, C/groups, kd, kh, kw); bias (O,). padding may be "valid" or "same";
    the other arguments are an int or a tuple of 3. Output size: (n + 2 padding - dilation (k - 1) - 1) // stride +
    1. RuntimeError where sizes do not fit.
    """

def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: _int = 0) -> Tensor:
    """conv_tbc(input, weight, bias, pad=0) -> Tensor: 1-D convolution of input (time, N, C) with weight (k, C, O)."""

def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] = 0,
    output_padding: _int | Sequence[_int] = 0,
    groups: _int = 1,
    dilation: _int | Sequence[_int] = 1,
) -> Tensor:
    """conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1).

    The transpose of 1-D convolution as a linear map. input (N, C, L) or (C, L); weight (C, O/groups,
    k); bias (O,). Output size: (n - 1) stride - 2 padding + dilation (k - 1) + output_padding + 1.
    RuntimeError where sizes do not fit.
    """

def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] = 0,
    output_padding: _int | Sequence[_int] = 0,
    groups: _int = 1,
    dilation: _int | Sequence[_int] = 1,
) -> Tensor:
    """conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1).

    The transpose of 2-D convolution as a linear map. input (N, C, H, W) or (C, H, W); weight (C, O/groups,
    kh, kw); bias (O,). Output size: (n - 1) stride - 2 padding + dilation (k - 1) + output_padding + 1.
    RuntimeError where sizes do not fit.
    """

def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] = 0,
    output_padding: _int | Sequence[_int] = 0,
    groups: _int = 1,
    dilation: _int | Sequence[_int] = 1,
) -> Tensor:
    """conv_transpose3d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1).

    The transpose of 3-D convolution as a linear map. input (N, C, D, H, W) or (C, D, H, W); weight (C, O/groups,
    kd, kh, kw); bias (O,). Output size: (n - 1) stride - 2 padding + dilation (k - 1) + output_padding + 1.
    RuntimeError where sizes do not fit.
    """

def convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    transposed: _bool = False,
    output_padding: _int | Sequence[_int] = 0,
    groups: _int = 1,
) -> Tensor:
    """convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups) -> Tensor.

    input (N, C, *size); weight (O, C/groups, *kernel), or (C, O/groups, *kernel) when transposed; bias (O,) or None.
    The other arguments are an int or one int per spatial dimension. RuntimeError for sizes that do not fit.
    """

def copysign(
    input: Tensor | Number | _complex, other: Tensor | Number | _complex, *, out: Tensor | None = None
) -> Tensor:
    """copysign(input, other) -> Tensor: the size of input with the sign of other; the gradient at 0 is 0."""

def corrcoef(input: Tensor) -> Tensor:
    """corrcoef(input) -> Tensor: correlation coefficients of the rows, (n, n), each in [-1, 1]."""

def cos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """cos(input) -> Tensor: the cosine of angles in radians."""

def cos_(input: Tensor) -> Tensor:
    """In-place form of cos."""

def cosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """cosh(input) -> Tensor: the hyperbolic cosine."""

def cosh_(input: Tensor) -> Tensor:
    """In-place form of cosh."""

def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: _float = 0.0, reduction: _int = 0
) -> Tensor:
    """cosine_embedding_loss(..., reduction=0) -> Tensor: nn.functional.cosine_embedding_loss with the reduction as a number."""

def cosine_similarity(x1: Tensor, x2: Tensor, dim: _int = 1, eps: _float = 1e-08) -> Tensor:
    """cosine_similarity(x1, x2, dim=1, eps=1e-8) -> Tensor: x1 . x2 / (max(|x1|, eps) max(|x2|, eps)) over dim."""

def count_nonzero(
    input: Tensor, dim: _int | Sequence[_int] | None = None, *, axis: _int | Sequence[_int] | None = None
) -> Tensor:
    """count_nonzero(input, dim=None) -> int64 Tensor: how many elements are not zero."""

def cov(
    input: Tensor, *, correction: Number = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
) -> Tensor:
    """cov(input, *, correction=1, fweights=None, aweights=None) -> Tensor: covariances of the rows (variables), (n, n).

    fweights: how often each column counts (integers); aweights: its weight (floating).
    """

def cross(input: Tensor, other: Tensor, dim: _int | None = None, *, out: Tensor | None = None) -> Tensor:
    """cross(input, other, dim) -> Tensor: the cross product along dim (None: the first dimension of size 3)."""

def crow_indices_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """crow_indices_copy(input) -> Tensor: what crow_indices gives, in memory of its own."""

def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor,
    target_lengths: Tensor,
    blank: _int = 0,
    reduction: _int = 0,
    zero_infinity: _bool = False,
) -> Tensor:
    """ctc_loss(...): F.ctc_loss with reduction 0 (none), 1 (mean) or 2 (sum)."""

def cudnn_affine_grid_generator(*args: Any, **kwargs: Any) -> NoReturn:
    """cudnn_affine_grid_generator(...): NotImplementedError, lucid has no cuDNN."""

def cudnn_batch_norm(*args: Any, **kwargs: Any) -> NoReturn:
    """cudnn_batch_norm(...): NotImplementedError, lucid has no cuDNN."""

def cudnn_convolution(*args: Any, **kwargs: Any) -> NoReturn:
    """cudnn_convolution(...): NotImplementedError, lucid has no cuDNN."""

def cudnn_convolution_add_relu(*args: Any, **kwargs: Any) -> NoReturn:
    """cudnn_convolution_add_relu(...): NotImplementedError, lucid has no cuDNN."""

def cudnn_convolution_relu(*args: Any, **kwargs: Any) -> NoReturn:
    """cudnn_convolution_relu(...): NotImplementedError, lucid has no cuDNN."""

def cudnn_convolution_transpose(*args: Any, **kwargs: Any) -> NoReturn:
    """cudnn_convolution_transpose(...): NotImplementedError, lucid has no cuDNN."""

def cudnn_grid_sampler(*args: Any, **kwargs: Any) -> NoReturn:
    """cudnn_grid_sampler(...): NotImplementedError, lucid has no cuDNN."""

def cudnn_is_acceptable(*args: Any, **kwargs: Any) -> NoReturn:
    """cudnn_is_acceptable(...): NotImplementedError, lucid has no cuDNN."""

def cummax(
    input: Tensor, dim: _int, *, out: tuple[Tensor, ...] | None = None, axis: _int | None = None
) -> return_types.cummax:
    """cummax(input, dim) -> (values, indices): the largest so far and where it was last found; a NaN stays."""

def cummin(
    input: Tensor, dim: _int, *, out: tuple[Tensor, ...] | None = None, axis: _int | None = None
) -> return_types.cummin:
    """cummin(input, dim) -> (values, indices): the smallest so far and where it was last found; a NaN stays."""

def cumprod(
    input: Tensor, dim: _int, *, dtype: dtype | None = None, out: Tensor | None = None, axis: _int | None = None
) -> Tensor:
    """cumprod(input, dim, *, dtype=None) -> Tensor: the products of the elements so far; integers multiply in int64."""

def cumprod_(input: Tensor, dim: _int, *, dtype: dtype | None = None) -> Tensor:
    """In-place form of cumprod."""

def cumsum(
    input: Tensor, dim: _int, *, dtype: dtype | None = None, out: Tensor | None = None, axis: _int | None = None
) -> Tensor:
    """cumsum(input, dim, *, dtype=None) -> Tensor: the sums of the elements so far; integers add up in int64."""

def cumsum_(input: Tensor, dim: _int, *, dtype: dtype | None = None) -> Tensor:
    """In-place form of cumsum."""

def cumulative_trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: Tensor | Number | _complex = 1, dim: _int = -1
) -> Tensor:
    """cumulative_trapezoid(y, x=None, *, dx=1, dim=-1) -> Tensor: the integrals up to each sample but the first."""

def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """deg2rad(input) -> Tensor: degrees as radians."""

def deg2rad_(input: Tensor) -> Tensor:
    """In-place form of deg2rad."""

def dequantize(*args: Any, **kwargs: Any) -> NoReturn:
    """dequantize(): NotImplementedError, lucid has no quantized tensors."""

def det(input: Tensor) -> Tensor:
    """det(input) -> Tensor: linalg.det(input)."""

def detach(input: Tensor) -> Tensor:
    """detach(input) -> Tensor: the same memory outside the graph."""

def detach_(input: Tensor) -> Tensor:
    """detach_() -> self, cut out of its graph."""

def detach_copy(input: Tensor) -> Tensor:
    """detach_copy(input) -> Tensor: a copy that is cut out of the graph."""

def diag(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """diag(input, diagonal=0) -> Tensor: a matrix's diagonal as a vector, or a matrix with a vector on its diagonal."""

def diag_embed(input: Tensor, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor:
    """diag_embed(input, offset=0, dim1=-2, dim2=-1) -> Tensor:
    input's last dimension as the diagonal of new matrices.
    """

def diagflat(input: Tensor, offset: _int = 0) -> Tensor:
    """diagflat(input, offset=0) -> 2-D Tensor with input's elements on its diagonal."""

def diagonal(input: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
    """diagonal(input, offset=0, dim1=0, dim2=1) -> Tensor:
    the elements i, i + offset of two dimensions, as the last one.
    """

def diagonal_copy(
    input: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1, *, out: Tensor | None = None
) -> Tensor:
    """diagonal_copy(...) -> what diagonal gives, in memory of its own."""

def diagonal_scatter(input: Tensor, src: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
    """diagonal_scatter(input, src, offset=0, dim1=0, dim2=1) -> Tensor: a copy with src as its diagonal."""

def diff(
    input: Tensor,
    n: _int = 1,
    dim: _int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """diff(input, n=1, dim=-1, prepend=None, append=None) -> Tensor:
    each element minus the one before, n times over.
    """

def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """digamma(input) -> Tensor: the derivative of lgamma."""

def digamma_(input: Tensor) -> Tensor:
    """In-place form of digamma."""

def dist(input: Tensor, other: Tensor, p: _float = 2) -> Tensor:
    """dist(input, other, p=2) -> 0-dim Tensor: the p-norm of input - other."""

def div(
    input: Tensor,
    other: Tensor | Number | _complex,
    *,
    rounding_mode: Literal["floor", "trunc"] | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """div(input, other, *, rounding_mode=None) -> Tensor: the quotient; of integers it is floating point.

    rounding_mode "trunc" rounds it towards 0, "floor" down; the type is then the operands'. RuntimeError for an integer
    divided by 0 with a rounding mode.
    """

def div_(input: Tensor, other: Tensor | Number | _complex) -> Tensor:
    """In-place form of div."""

def divide(
    input: Tensor,
    other: Tensor | Number | _complex,
    *,
    rounding_mode: Literal["floor", "trunc"] | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """div(input, other, *, rounding_mode=None) -> Tensor: the quotient; of integers it is floating point.

    rounding_mode "trunc" rounds it towards 0, "floor" down; the type is then the operands'. RuntimeError for an integer
    divided by 0 with a rounding mode.
    """

def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = None) -> Tensor:
    """dot(input, tensor) -> 0-dim Tensor: the sum of products of two vectors."""

def dropout(input: Tensor, p: _float, train: _bool) -> Tensor:
    """dropout(input, p, train) -> Tensor; see nn.functional."""

def dropout_(input: Tensor, p: _float, train: _bool) -> Tensor:
    """dropout_(input, p, train) -> Tensor; see nn.functional."""

def dsmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """spmm(input, mat2) -> Tensor: torch.mm under an older name."""

@overload
def dsplit(input: Tensor, indices_or_sections: _int | Sequence[_int] | Tensor) -> tuple[Tensor, ...]:
    """dsplit(input, indices_or_sections) -> tuple of views, cut along one dimension (see tensor_split)."""

@overload
def dsplit(input: Tensor, *indices: _int) -> tuple[Tensor, ...]: ...
def dstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """dstack(tensors) -> Tensor: cat along dimension 2, with at least three dimensions each."""

def eig(*args: Any, **kwargs: Any) -> NoReturn:
    """eig(): removed from torch, whose RuntimeError this is."""

@overload
def einsum(equation: str, *operands: Tensor | Sequence[Tensor]) -> Tensor:
    """einsum(equation, *operands) -> Tensor: products summed over labels, e.g. einsum("bij,bjk->bik", a, b).

    Ellipses broadcast; a label repeated in one operand takes its diagonal; without '->' the output has the labels that
    occur once, in alphabetical order. Also einsum(op, [0, 1], op, [1, 2], [0, 2]). Contracts from left to right.
    """

@overload
def einsum(*operands: Tensor | Sequence[Any]) -> Tensor: ...
def embedding(
    weight: Tensor, indices: Tensor, padding_idx: _int = -1, scale_grad_by_freq: _bool = False, sparse: _bool = False
) -> Tensor:
    """embedding(weight, indices, padding_idx=-1) -> Tensor of shape (*indices.shape, weight.shape[1]):
    rows of weight.
    """

def embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: _bool = False,
    mode: _int = 0,
    sparse: _bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: _bool = False,
    padding_idx: _int | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """embedding_bag(weight, indices, offsets, ...) -> (bags, the bag of each index, bag sizes, rows of the maxima).

    mode: 0 sum, 1 mean, 2 max. F.embedding_bag is for daily use. With sparse=True the gradient
    of weight is a COO tensor.
    """

def embedding_renorm_(input: Tensor, indices: Tensor, max_norm: _float, norm_type: Number) -> Tensor:
    """embedding_renorm_(input, indices, max_norm, norm_type) -> input, whose rows with those numbers are scaled down
    to a norm of max_norm where theirs is above it.
    """

@overload
def empty(
    *size: _int,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    memory_format: memory_format = ...,
    names: list[str] | None = None,
) -> Tensor:
    """empty(*size) -> Tensor of that shape, its values undefined."""

@overload
def empty(
    size: Sequence[_int],
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    memory_format: memory_format = ...,
    names: list[str] | None = None,
) -> Tensor: ...
def empty_like(
    input: Tensor,
    *,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    memory_format: memory_format = ...,
    pin_memory: _bool = False,
) -> Tensor:
    """empty_like(input) -> Tensor of input's shape, type, device and memory order."""

def empty_permuted(
    size: Sequence[_int],
    physical_layout: Sequence[_int],
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """empty_permuted(size, physical_layout) -> Tensor, its values undefined, whose dimensions lie in memory in the
    order of physical_layout, from the outermost.
    """

def empty_quantized(*args: Any, **kwargs: Any) -> NoReturn:
    """empty_quantized(...): NotImplementedError, lucid has no quantized tensors."""

def empty_strided(
    size: Sequence[_int],
    stride: Sequence[_int],
    *,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """empty_strided(size, stride) -> Tensor with these strides, its values undefined."""

def eq(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor:
    """eq(input, other) -> bool Tensor: input == other."""

def eq_(input: Tensor, other: Tensor | Number | _complex) -> Tensor:
    """In-place form of eq."""

def equal(input: Tensor, other: Tensor) -> _bool:
    """equal(input, other) -> bool: have they the same shape and the same elements?"""

def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """erf(input) -> Tensor: the error function, 2 / sqrt(pi) times the integral of exp(-t**2) from 0 to input."""

def erf_(input: Tensor) -> Tensor:
    """In-place form of erf."""

def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """erfc(input) -> Tensor: 1 - erf(input), exact where erf is near 1."""

def erfc_(input: Tensor) -> Tensor:
    """In-place form of erfc."""

def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """erfinv(input) -> Tensor: the number whose error function is input, in (-1, 1)."""

def erfinv_(input: Tensor) -> Tensor:
    """In-place form of erfinv."""

def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """exp(input) -> Tensor: e to the power of each element."""

def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """exp2(input) -> Tensor: 2 to the power of each element."""

def exp2_(input: Tensor) -> Tensor:
    """In-place form of exp2."""

def exp_(input: Tensor) -> Tensor:
    """In-place form of exp."""

def expand_copy(input: Tensor, size: Sequence[_int], implicit: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """expand_copy(...) -> what expand gives, in memory of its own."""

def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """expm1(input) -> Tensor: exp(input) - 1, exact near 0."""

def expm1_(input: Tensor) -> Tensor:
    """In-place form of expm1."""

def eye(
    n: _int,
    m: _int | None = None,
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """eye(n, m=n) -> (n, m) Tensor with ones on the diagonal."""

def fake_quantize_per_channel_affine(*args: Any, **kwargs: Any) -> NoReturn:
    """fake_quantize_per_channel_affine(): NotImplementedError, lucid has no quantized tensors."""

def fake_quantize_per_tensor_affine(*args: Any, **kwargs: Any) -> NoReturn:
    """fake_quantize_per_tensor_affine(): NotImplementedError, lucid has no quantized tensors."""

def fbgemm_linear_fp16_weight(*args: Any, **kwargs: Any) -> NoReturn:
    """fbgemm_linear_fp16_weight(): NotImplementedError, lucid has no FBGEMM."""

def fbgemm_linear_fp16_weight_fp32_activation(*args: Any, **kwargs: Any) -> NoReturn:
    """fbgemm_linear_fp16_weight_fp32_activation(): NotImplementedError, lucid has no FBGEMM."""

def fbgemm_linear_int8_weight(*args: Any, **kwargs: Any) -> NoReturn:
    """fbgemm_linear_int8_weight(): NotImplementedError, lucid has no FBGEMM."""

def fbgemm_linear_int8_weight_fp32_activation(*args: Any, **kwargs: Any) -> NoReturn:
    """fbgemm_linear_int8_weight_fp32_activation(): NotImplementedError, lucid has no FBGEMM."""

def fbgemm_linear_quantize_weight(*args: Any, **kwargs: Any) -> NoReturn:
    """fbgemm_linear_quantize_weight(): NotImplementedError, lucid has no FBGEMM."""

def fbgemm_pack_gemm_matrix_fp16(*args: Any, **kwargs: Any) -> NoReturn:
    """fbgemm_pack_gemm_matrix_fp16(): NotImplementedError, lucid has no FBGEMM."""

def fbgemm_pack_quantized_matrix(*args: Any, **kwargs: Any) -> NoReturn:
    """fbgemm_pack_quantized_matrix(): NotImplementedError, lucid has no FBGEMM."""

def feature_alpha_dropout(input: Tensor, p: _float, train: _bool) -> Tensor:
    """feature_alpha_dropout(input, p, train) -> Tensor; see nn.functional."""

def feature_alpha_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor:
    """feature_alpha_dropout_(input, p, train) -> Tensor; see nn.functional."""

def feature_dropout(input: Tensor, p: _float, train: _bool) -> Tensor:
    """feature_dropout(input, p, train) -> Tensor; see nn.functional."""

def feature_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor:
    """feature_dropout_(input, p, train) -> Tensor; see nn.functional."""

def fill(input: Tensor, value: Tensor | Number | _complex) -> Tensor:
    """fill(input, value) -> Tensor like input, every element value."""

def fill_(self: Tensor, value: Tensor | Number | _complex) -> Tensor:
    """fill_(value) -> self, every element value (a number or a 0-dim tensor)."""

def fix(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """trunc(input) -> Tensor: the integer part, towards 0."""

def fix_(input: Tensor) -> Tensor:
    """In-place form of trunc."""

def flatten(input: Tensor, start_dim: _int = 0, end_dim: _int = -1) -> Tensor:
    """flatten(input, start_dim=0, end_dim=-1) -> Tensor: dimensions start_dim to end_dim become one."""

def flip(input: Tensor, dims: Sequence[_int]) -> Tensor:
    """flip(input, dims) -> Tensor: the order of elements turned round along each of dims."""

def fliplr(input: Tensor) -> Tensor:
    """fliplr(input) -> Tensor: columns in reverse order."""

def flipud(input: Tensor) -> Tensor:
    """flipud(input) -> Tensor: rows in reverse order."""

def float_power(
    input: Tensor | Number | _complex, exponent: Tensor | Number | _complex, *, out: Tensor | None = None
) -> Tensor:
    """float_power(input, exponent) -> float64 (or complex128) Tensor: pow in double precision."""

def floor(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """floor(input) -> Tensor: the largest integer that is not larger."""

def floor_(input: Tensor) -> Tensor:
    """In-place form of floor."""

def floor_divide(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor:
    """floor_divide(input, other) -> Tensor: the quotient, rounded down; no gradient.

    RuntimeError for an integer divided by 0.
    """

def fmax(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """fmax(input, other) -> Tensor: the greater of two elements; a number beats NaN."""

def fmax_(input: Tensor, other: Tensor) -> Tensor:
    """In-place form of fmax."""

def fmin(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """fmin(input, other) -> Tensor: the less of two elements; a number beats NaN."""

def fmin_(input: Tensor, other: Tensor) -> Tensor:
    """In-place form of fmin."""

def fmod(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor:
    """fmod(input, other) -> Tensor: what a division rounded to 0 leaves; it has input's sign.

    RuntimeError for an integer divided by 0.
    """

def fork(*args: Any, **kwargs: Any) -> NoReturn:
    """fork(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

def fork_rng(
    devices: Any = None, enabled: _bool = True, device_type: str | None = None
) -> AbstractContextManager[None]:
    """fork_rng(devices=None, enabled=True): random numbers drawn inside leave no trace in the generator's state.

    lucid's devices all draw from the CPU's generator, so `devices` and `device_type` choose nothing.
    """

def frac(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """frac(input) -> Tensor: what trunc leaves, with input's sign."""

def frac_(input: Tensor) -> Tensor:
    """In-place form of frac."""

def frexp(input: Tensor, *, out: tuple[Tensor, ...] | None = None) -> return_types.frexp:
    """frexp(input) -> (mantissa, exponent): input = mantissa * 2**exponent, 0.5 <= |mantissa| < 1, exponent int32."""

def frobenius_norm(input: Tensor, dim: _int, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """frobenius_norm(input, dim, keepdim=False) -> Tensor: the 2-norm over one dimension or two."""

def from_dlpack(ext_tensor: Any, *, device: device | str | _int | None = None, copy: _bool | None = None) -> Tensor:
    """from_dlpack(ext_tensor, *, device=None, copy=None) -> Tensor that shares the memory of an object with __dlpack__,
    or of a capsule, which can be used once. copy=True gives memory of its own.
    """

def from_file(
    filename: str,
    shared: _bool | None = None,
    size: _int = 0,
    *,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: device | str | _int | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor:
    """from_file(filename, shared=False, size) -> 1-D Tensor over the file's first `size` elements.

    With shared=True writes reach the file, which is made, or made longer, where it is too short; else RuntimeError.
    """

def from_numpy(ndarray: ndarray) -> Tensor:
    """from_numpy(ndarray) -> Tensor that shares the array's memory."""

def frombuffer(
    buffer: Any, *, dtype: dtype, count: _int = -1, offset: _int = 0, requires_grad: _bool = False
) -> Tensor:
    """frombuffer(buffer, dtype, count=-1, offset=0) -> 1-D Tensor that shares the buffer's memory."""

def full(
    size: Sequence[_int],
    fill_value: Number | _complex,
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    names: list[str] | None = None,
) -> Tensor:
    """full(size, fill_value) -> Tensor of that shape filled with fill_value."""

def full_like(
    input: Tensor,
    fill_value: Number | _complex,
    *,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    memory_format: memory_format = ...,
    pin_memory: _bool = False,
) -> Tensor:
    """full_like(input, fill_value) -> Tensor of input's shape and type filled with fill_value."""

def fused_moving_avg_obs_fake_quant(*args: Any, **kwargs: Any) -> NoReturn:
    """fused_moving_avg_obs_fake_quant(): NotImplementedError, lucid has no quantized tensors."""

def gather(input: Tensor, dim: _int, index: Tensor, *, sparse_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """gather(input, dim, index) -> Tensor of index's shape: out[i][j] = input[index[i][j]][j] for dim 0, and so on."""

def gcd(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """gcd(input, other) -> Tensor: the greatest common divisor. Integers only."""

def gcd_(input: Tensor, other: Tensor) -> Tensor:
    """In-place form of gcd."""

def ge(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor:
    """ge(input, other) -> bool Tensor: input >= other."""

def ge_(input: Tensor, other: Tensor | Number | _complex) -> Tensor:
    """In-place form of ge."""

def geqrf(input: Tensor, *, out: tuple[Tensor, ...] | None = None) -> return_types.geqrf:
    """geqrf(input) -> (a, tau): QR as LAPACK keeps it, reflectors below the diagonal."""

def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """outer(input, vec2) -> Tensor: the products of all pairs, (n,) and (m,) -> (n, m)."""

def get_autocast_cpu_dtype() -> dtype:
    """get_autocast_cpu_dtype() -> dtype: deprecated in torch."""

def get_autocast_dtype(device_type: str) -> dtype:
    """get_autocast_dtype(device_type) -> dtype that autocast uses there."""

def get_autocast_gpu_dtype() -> dtype:
    """get_autocast_gpu_dtype() -> dtype: deprecated in torch."""

def get_autocast_ipu_dtype() -> dtype:
    """get_autocast_ipu_dtype() -> dtype: deprecated in torch."""

def get_autocast_xla_dtype() -> dtype:
    """get_autocast_xla_dtype() -> dtype: deprecated in torch."""

def get_default_device() -> device:
    """The device of new tensors."""

def get_default_dtype() -> dtype:
    """The type of float literals and of results of integer division."""

def get_deterministic_debug_mode() -> _int:
    """get_deterministic_debug_mode() -> 0, 1 (warn) or 2 (error)."""

def get_device(input: Tensor) -> _int:
    """get_device(input) -> int: the device's index, -1 for the CPU."""

def get_device_module(device: device | str | _int | None = None) -> ModuleType:
    """get_device_module(device=None) -> module such as torch.cuda or torch.cpu."""

def get_file_path(*path_components: str) -> str:
    """get_file_path("torch", "lib", ...) -> str: a path inside the installation."""

def get_float32_matmul_precision() -> str:
    """get_float32_matmul_precision() -> str"""

def get_num_interop_threads() -> _int:
    """get_num_interop_threads() -> int"""

def get_num_threads() -> _int:
    """get_num_threads() -> int: the number set, or OMP_NUM_THREADS, or that of the CPUs."""

def get_printoptions() -> dict[str, Any]:
    """The options in force, as keywords for set_printoptions."""

def get_rng_state() -> Tensor:
    """get_rng_state() -> uint8 Tensor: the state of the default generator."""

def gradient(
    input: Tensor,
    *,
    spacing: Number | Sequence[Number] | Sequence[Tensor] | None = None,
    dim: _int | Sequence[_int] | None = None,
    edge_order: _int = 1,
) -> tuple[Tensor, ...]:
    """gradient(input, *, spacing=1, dim=None, edge_order=1) -> tuple of Tensors: the derivative along each dimension.

    spacing: the distance of the samples, one for each dimension, or the coordinates of the samples in each. Inside it
    is the second order central difference (Fornberg, 1988), at the ends the difference of order edge_order (1 or 2).
    """

def greater(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor:
    """gt(input, other) -> bool Tensor: input > other."""

def greater_(input: Tensor, other: Tensor | Number | _complex) -> Tensor:
    """In-place form of gt."""

def greater_equal(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor:
    """ge(input, other) -> bool Tensor: input >= other."""

def greater_equal_(input: Tensor, other: Tensor | Number | _complex) -> Tensor:
    """In-place form of ge."""

def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool
) -> Tensor:
    """grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners) -> Tensor: grid_sample by numbers."""

def grid_sampler_2d(
    input: Tensor, grid: Tensor, interpolation_mode: _int = 0, padding_mode: _int = 0, align_corners: _bool = False
) -> Tensor:
    """grid_sampler_2d(input, grid, interpolation_mode, padding_mode, align_corners) -> Tensor"""

def grid_sampler_3d(
    input: Tensor, grid: Tensor, interpolation_mode: _int = 0, padding_mode: _int = 0, align_corners: _bool = False
) -> Tensor:
    """grid_sampler_3d(input, grid, interpolation_mode, padding_mode, align_corners) -> Tensor"""

def group_norm(
    input: Tensor,
    num_groups: _int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: _float = 1e-05,
    cudnn_enabled: _bool = True,
) -> Tensor:
    """group_norm(input, num_groups, weight=None, bias=None, eps=1e-5, cudnn_enabled=True) -> Tensor."""

def gru(
    input: Tensor,
    hx: Tensor,
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
    batch_first: _bool,
) -> tuple[Tensor, Tensor]:
    """gru(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first).

    Gives (output, h).

    Or, for a packed sequence, gru(data, batch_sizes, hx, params, has_biases, num_layers, dropout, train,
    bidirectional). params: weight_ih, weight_hh and, with biases, bias_ih, bias_hh, for every layer and direction in
    order.
    """

def gru_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    """gru_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None) -> Tensor: one step, input (N, I), hx (N, H)."""

def gt(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor:
    """gt(input, other) -> bool Tensor: input > other."""

def gt_(input: Tensor, other: Tensor | Number | _complex) -> Tensor:
    """In-place form of gt."""

def hamming_window(
    window_length: _int,
    periodic: _bool = True,
    alpha: _float = 0.54,
    beta: _float = 0.46,
    *,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: device | str | _int | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor:
    """hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46) -> Tensor:
    alpha - beta cos(2 pi n / (N - 1)).
    """

def hann_window(
    window_length: _int,
    periodic: _bool = True,
    *,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: device | str | _int | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor:
    """hann_window(window_length, periodic=True) -> Tensor of window_length: (1 - cos(2 pi n / (N - 1))) / 2."""

def hardshrink(input: Tensor, lambd: Number = 0.5, *, out: Tensor | None = None) -> Tensor:
    """hardshrink(input, lambd=0.5) -> Tensor: 0 within [-lambd, lambd], input outside."""

def hash_tensor(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    *,
    keepdim: _bool = False,
    mode: _int = 0,
    out: Tensor | None = None,
) -> Tensor:
    """hash_tensor(input, dim=(), *, keepdim=False, mode=0) -> Tensor of uint64: the exclusive or of the elements' bits.

    Floats count as float64, integers as int64. No gradients.
    """

def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor:
    """heaviside(input, values) -> Tensor: 0 below 0, values at 0, 1 above. Operands must have one type."""

def heaviside_(input: Tensor, values: Tensor) -> Tensor:
    """In-place form of heaviside."""

def hinge_embedding_loss(input: Tensor, target: Tensor, margin: _float = 1.0, reduction: _int = 0) -> Tensor:
    """hinge_embedding_loss(..., reduction=0) -> Tensor: nn.functional.hinge_embedding_loss with the reduction as a number."""

def histc(input: Tensor, bins: _int = 100, min: Number = 0, max: Number = 0, *, out: Tensor | None = None) -> Tensor:
    """histc(input, bins=100, min=0, max=0) -> Tensor:
    counts in equal bins from min to max (both 0: the data's range).
    """

@overload
def histogram(
    input: Tensor,
    bins: Tensor,
    *,
    weight: Tensor | None = None,
    density: _bool = False,
    out: tuple[Tensor, Tensor] | None = None,
) -> tuple[Tensor, Tensor]:
    """histogram(input, bins=100, *, range=None, weight=None, density=False) -> (hist, bin_edges), without gradients.

    bins: how many equal ones there are, between the bounds of range (the extremes of input without it), or a tensor of
    their edges. density: divided so that the integral is 1.
    """

@overload
def histogram(
    input: Tensor,
    bins: _int = 100,
    *,
    range: Sequence[_float] | None = None,
    weight: Tensor | None = None,
    density: _bool = False,
    out: tuple[Tensor, Tensor] | None = None,
) -> tuple[Tensor, Tensor]: ...
def histogramdd(
    input: Tensor,
    bins: _int | Sequence[_int] | Sequence[Tensor],
    range: Sequence[_float] | None = None,
    weight: Tensor | None = None,
    density: _bool = False,
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """histogramdd(input, bins, range=None, weight=None, density=False) -> (hist, bin_edges), without gradients.

    input (..., n): points of n dimensions. bins: a number, or one for each dimension, or tensors of edges; range: low
    and high of each dimension, one after the other.
    """

def hsmm(mat1: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """hspmm(mat1, mat2) -> Tensor, sparse: the product of a COO and a dense matrix, whose rows that are not empty are
    dense.
    """

@overload
def hsplit(input: Tensor, indices_or_sections: _int | Sequence[_int] | Tensor) -> tuple[Tensor, ...]:
    """hsplit(input, indices_or_sections) -> tuple of views, cut along one dimension (see tensor_split)."""

@overload
def hsplit(input: Tensor, *indices: _int) -> tuple[Tensor, ...]: ...
def hspmm(mat1: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """hspmm(mat1, mat2) -> Tensor, sparse: the product of a COO and a dense matrix, whose rows that are not empty are
    dense.
    """

def hstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """hstack(tensors) -> Tensor: cat along dimension 1 (0 for vectors)."""

def hypot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """hypot(input, other) -> Tensor: sqrt(input**2 + other**2) without overflow on the way."""

def hypot_(input: Tensor, other: Tensor) -> Tensor:
    """In-place form of hypot."""

def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """i0(input) -> Tensor: the modified Bessel function of the first kind of order 0."""

def i0_(input: Tensor) -> Tensor:
    """In-place form of i0."""

def igamma(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """igamma(input, other) -> Tensor: the regularized lower incomplete gamma function P(input, other)."""

def igamma_(input: Tensor, other: Tensor) -> Tensor:
    """In-place form of igamma."""

def igammac(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """igammac(input, other) -> Tensor: the regularized upper incomplete gamma function Q(input, other)."""

def igammac_(input: Tensor, other: Tensor) -> Tensor:
    """In-place form of igammac."""

def imag(input: Tensor) -> Tensor:
    """imag(input) -> Tensor: a view of the imaginary parts. RuntimeError for a real tensor."""

def import_ir_module(*args: Any, **kwargs: Any) -> NoReturn:
    """import_ir_module(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

def import_ir_module_from_buffer(*args: Any, **kwargs: Any) -> NoReturn:
    """import_ir_module_from_buffer(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

def index_add(
    input: Tensor, dim: _int, index: Tensor, source: Tensor, *, alpha: Number | _complex = 1, out: Tensor | None = None
) -> Tensor:
    """index_add(input, dim, index, source, alpha=1) -> Tensor:
    input plus alpha times source's slices at index along dim.
    """

def index_copy(input: Tensor, dim: _int, index: Tensor, source: Tensor, *, out: Tensor | None = None) -> Tensor:
    """index_copy(input, dim, index, source) -> Tensor: input with source's slices at index along dim."""

def index_fill(input: Tensor, dim: _int, index: Tensor, value: Tensor | Number | _complex) -> Tensor:
    """index_fill(input, dim, index, value) -> Tensor:
    input with value (a number or 0-dim tensor) in the slices index names.
    """

def index_put(input: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: _bool = False) -> Tensor:
    """index_put(input, indices, values, accumulate=False) -> Tensor:
    a copy with values at the places the index tensors name.
    """

def index_put_(input: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: _bool = False) -> Tensor:
    """index_put_(indices, values, accumulate=False) -> self with values at the places the index tensors name."""

def index_reduce(
    input: Tensor,
    dim: _int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    *,
    include_self: _bool = True,
    out: Tensor | None = None,
) -> Tensor:
    """index_reduce(input, dim, index, source, reduce, include_self=True) -> Tensor:
    source's slices reduced into index's places.
    """

def index_select(input: Tensor, dim: _int, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """index_select(input, dim, index) -> Tensor: the slices of dim that the index vector names."""

def indices_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """indices_copy(input) -> Tensor: what indices gives, in memory of its own."""

def init_num_threads() -> None:
    """init_num_threads(): nothing is left to do, threads are made when the first product needs them."""

def initial_seed() -> _int:
    """initial_seed() -> int: the seed of the default generator's last start."""

def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """inner(input, other) -> Tensor: products summed over the last dimensions."""

def instance_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats: _bool,
    momentum: _float,
    eps: _float,
    cudnn_enabled: _bool = True,
) -> Tensor:
    """instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled)."""

def int_repr(*args: Any, **kwargs: Any) -> NoReturn:
    """int_repr(): NotImplementedError, lucid has no quantized tensors."""

def inverse(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """inverse(input) -> Tensor: linalg.inv(input)."""

def is_anomaly_check_nan_enabled() -> _bool:
    """is_anomaly_check_nan_enabled() -> bool: does anomaly mode look for NaN?"""

def is_anomaly_enabled() -> _bool:
    """is_anomaly_enabled() -> bool: is anomaly mode on?"""

def is_autocast_cache_enabled() -> _bool:
    """is_autocast_cache_enabled() -> bool: are parameters cast once only?"""

def is_autocast_cpu_enabled() -> _bool:
    """is_autocast_cpu_enabled() -> bool: deprecated in torch."""

def is_autocast_enabled(device_type: str | None = None) -> _bool:
    """is_autocast_enabled(device_type="cuda") -> bool: is the code inside an enabled autocast?"""

def is_autocast_ipu_enabled() -> _bool:
    """is_autocast_ipu_enabled() -> bool: deprecated in torch."""

def is_autocast_xla_enabled() -> _bool:
    """is_autocast_xla_enabled() -> bool: deprecated in torch."""

def is_complex(input: Tensor) -> _bool:
    """is_complex(input) -> bool: are its elements complex?"""

def is_conj(input: Tensor) -> _bool:
    """is_conj(input) -> bool: is it a view that is conjugated when it is read?"""

def is_deterministic_algorithms_warn_only_enabled() -> _bool:
    """is_deterministic_algorithms_warn_only_enabled() -> bool"""

def is_distributed(input: Tensor) -> _bool:
    """is_distributed(input) -> bool: always False."""

def is_floating_point(input: Tensor) -> _bool:
    """is_floating_point(input) -> bool: are its elements floating numbers (complex ones are not)?"""

def is_grad_enabled() -> _bool:
    """is_grad_enabled() -> bool: are operations recorded in this thread?"""

def is_inference(input: Tensor) -> _bool:
    """is_inference(input) -> bool: was the tensor made under inference_mode?"""

def is_inference_mode_enabled() -> _bool:
    """is_inference_mode_enabled() -> bool"""

def is_neg(input: Tensor) -> _bool:
    """is_neg(input) -> bool: is it a view that is negated when it is read?"""

def is_nonzero(input: Tensor) -> _bool:
    """is_nonzero(input) -> bool: is the only element other than 0? RuntimeError unless there is exactly one."""

def is_same_size(input: Tensor, other: Tensor) -> _bool:
    """is_same_size(input, other) -> bool: have they one shape?"""

def is_signed(input: Tensor) -> _bool:
    """is_signed(input) -> bool: can its elements be negative?"""

def is_storage(obj: Any) -> _bool:
    """is_storage(obj) -> bool: is it an UntypedStorage or a TypedStorage?"""

def is_tensor(obj: Any) -> _bool:
    """is_tensor(obj) -> bool"""

def is_vulkan_available() -> _bool:
    """is_vulkan_available() -> False"""

def is_warn_always_enabled() -> _bool:
    """is_warn_always_enabled() -> bool"""

def isclose(
    input: Tensor, other: Tensor, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False
) -> Tensor:
    """isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False) -> bool Tensor:
    is |input - other| at most atol + rtol * |other|?
    """

def isfinite(input: Tensor) -> Tensor:
    """isfinite(input) -> bool Tensor: is it neither NaN nor an infinity?"""

def isin(
    elements: Tensor | Number | _complex,
    test_elements: Tensor | Number | _complex,
    *,
    assume_unique: _bool = False,
    invert: _bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """isin(elements, test_elements, *, invert=False) -> bool Tensor:
    is each element (one may be a number) among the others?
    """

def isinf(input: Tensor) -> Tensor:
    """isinf(input) -> bool Tensor: is it an infinity?"""

def isnan(input: Tensor) -> Tensor:
    """isnan(input) -> bool Tensor: is it NaN?"""

def isneginf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """isneginf(input) -> bool Tensor: is it -infinity?"""

def isposinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """isposinf(input) -> bool Tensor: is it +infinity?"""

def isreal(input: Tensor) -> Tensor:
    """isreal(input) -> bool Tensor: is the imaginary part 0?"""

def istft(
    input: Tensor,
    n_fft: _int,
    hop_length: _int | None = None,
    win_length: _int | None = None,
    window: Tensor | None = None,
    center: _bool = True,
    normalized: _bool = False,
    onesided: _bool | None = None,
    length: _int | None = None,
    return_complex: _bool = False,
) -> Tensor:
    """istft(input, n_fft, hop_length=n_fft // 4, win_length=n_fft, window=ones, center=True, ...) -> Tensor

    The inverse of stft by least squares: (batch, frequencies, frames) -> (batch, time) real signals (complex ones if
    return_complex). length: of the result, cut off or filled with zeros. RuntimeError where the windows leave a gap.
    """

def kaiser_window(
    window_length: _int,
    periodic: _bool = True,
    beta: _float = 12.0,
    *,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: device | str | _int | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor:
    """kaiser_window(window_length, periodic=True, beta=12.0) -> Tensor:
    I0(beta sqrt(1 - (2 n / (N - 1) - 1)^2)) / I0(beta).
    """

def kl_div(input: Tensor, target: Tensor, reduction: _int = 0, *, log_target: _bool = False) -> Tensor:
    """kl_div(input, target, reduction=0, *, log_target=False) -> Tensor."""

def kron(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """kron(input, other) -> Tensor: the Kronecker product, each element of input times all of other."""

def kthvalue(
    input: Tensor,
    k: _int,
    dim: _int = -1,
    keepdim: _bool = False,
    *,
    out: tuple[Tensor, ...] | None = None,
    axis: _int | None = None,
    keepdims: _bool | None = None,
) -> return_types.kthvalue:
    """kthvalue(input, k, dim=-1, keepdim=False) -> (values, indices): the k-th smallest along dim, counted from 1."""

def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[_int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: _float = 1e-05,
    cudnn_enable: _bool = True,
) -> Tensor:
    """layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5, cudnn_enable=True) -> Tensor."""

def lcm(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """lcm(input, other) -> Tensor: the least common multiple. Integers only."""

def lcm_(input: Tensor, other: Tensor) -> Tensor:
    """In-place form of lcm."""

def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """ldexp(input, other) -> Tensor: input * 2**other."""

def ldexp_(input: Tensor, other: Tensor) -> Tensor:
    """In-place form of ldexp."""

def le(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor:
    """le(input, other) -> bool Tensor: input <= other."""

def le_(input: Tensor, other: Tensor | Number | _complex) -> Tensor:
    """In-place form of le."""

def lerp(input: Tensor, end: Tensor, weight: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor:
    """lerp(input, end, weight) -> Tensor: input + weight * (end - input); weight is a number or a tensor."""

def less(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor:
    """lt(input, other) -> bool Tensor: input < other."""

def less_(input: Tensor, other: Tensor | Number | _complex) -> Tensor:
    """In-place form of lt."""

def less_equal(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor:
    """le(input, other) -> bool Tensor: input <= other."""

def less_equal_(input: Tensor, other: Tensor | Number | _complex) -> Tensor:
    """In-place form of le."""

def lgamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """lgamma(input) -> Tensor: the logarithm of the absolute value of the gamma function."""

def lgamma_(input: Tensor) -> Tensor:
    """In-place form of lgamma."""

def linspace(
    start: Tensor | Number,
    end: Tensor | Number,
    steps: _int,
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """linspace(start, end, steps) -> 1-D Tensor of `steps` values from start to end, both included."""

def load(
    f: FileLike,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: _bool | None = None,
    mmap: _bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """load(f, map_location=None, pickle_module=None, *, weights_only=True, mmap=False): the object that `save` wrote.

    map_location: a device, its name, {saved place: place}, or function(storage, place) -> storage or None.
    weights_only: build only tensors, plain containers and what add_safe_globals allows (the default unless
    pickle_module is given); anything else raises UnpicklingError. mmap: read the tensors' memory from the file when it
    is touched.
    """

def lobpcg(
    A: Tensor,
    k: _int | None = None,
    B: Tensor | None = None,
    X: Tensor | None = None,
    n: _int | None = None,
    iK: Tensor | None = None,
    niter: _int | None = None,
    tol: _float | None = None,
    largest: _bool | None = None,
    method: str | None = None,
    tracker: None = None,
    ortho_iparams: dict[str, _int] | None = None,
    ortho_fparams: dict[str, _float] | None = None,
    ortho_bparams: dict[str, _bool] | None = None,
) -> tuple[Tensor, Tensor]:
    """lobpcg(A, k=1, B=None, X=None, n=None, iK=None, niter=None, tol=None, largest=True, ...) -> (E, X): the k largest
    (smallest) eigenvalues of symmetric A, or of A x = e B x with B positive definite, and their vectors.

    The result is exact: what steers torch's iteration (a start X, a preconditioner iK, niter, tol, method) changes
    nothing. NotImplementedError for a tracker, which has no steps to follow.
    """

def log(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log(input) -> Tensor: the natural logarithm."""

def log10(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log10(input) -> Tensor: the logarithm to base 10."""

def log10_(input: Tensor) -> Tensor:
    """In-place form of log10."""

def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log1p(input) -> Tensor: log(1 + input), exact near 0."""

def log1p_(input: Tensor) -> Tensor:
    """In-place form of log1p."""

def log2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log2(input) -> Tensor: the logarithm to base 2."""

def log2_(input: Tensor) -> Tensor:
    """In-place form of log2."""

def log_(input: Tensor) -> Tensor:
    """In-place form of log."""

def log_softmax(input: Tensor, dim: _int, dtype: dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """log_softmax(input, dim, dtype=None) -> Tensor: log(softmax) without overflow."""

def logaddexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """logaddexp(input, other) -> Tensor: log(exp(input) + exp(other)) without overflow on the way."""

def logaddexp2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """logaddexp2(input, other) -> Tensor: log2(2**input + 2**other) without overflow on the way."""

def logaddexp2_(input: Tensor, other: Tensor) -> Tensor:
    """In-place form of logaddexp2."""

def logaddexp_(input: Tensor, other: Tensor) -> Tensor:
    """In-place form of logaddexp."""

def logcumsumexp(input: Tensor, dim: _int, *, out: Tensor | None = None, axis: _int | None = None) -> Tensor:
    """logcumsumexp(input, dim) -> Tensor: log(cumsum(exp(input))) that does not overflow."""

def logdet(input: Tensor) -> Tensor:
    """logdet(input) -> Tensor: the logarithm of the determinant; NaN where that is negative."""

def logical_and(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """logical_and(input, other) -> bool Tensor: are both other than zero?"""

def logical_and_(input: Tensor, other: Tensor) -> Tensor:
    """In-place form of logical_and."""

def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """logical_not(input) -> bool Tensor: is it zero?"""

def logical_not_(input: Tensor) -> Tensor:
    """In-place form of logical_not."""

def logical_or(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """logical_or(input, other) -> bool Tensor: is either other than zero?"""

def logical_or_(input: Tensor, other: Tensor) -> Tensor:
    """In-place form of logical_or."""

def logical_xor(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """logical_xor(input, other) -> bool Tensor: is exactly one other than zero?"""

def logical_xor_(input: Tensor, other: Tensor) -> Tensor:
    """In-place form of logical_xor."""

def logit(input: Tensor, eps: _float | None = None, *, out: Tensor | None = None) -> Tensor:
    """logit(input, eps=None) -> Tensor: log(x / (1 - x)); eps limits x to [eps, 1 - eps] first."""

def logit_(input: Tensor, eps: _float | None = None) -> Tensor:
    """In-place form of logit."""

def logspace(
    start: Tensor | Number,
    end: Tensor | Number,
    steps: _int,
    base: Number = 10.0,
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """logspace(start, end, steps, base=10.0) -> 1-D Tensor of base**x for x from start to end."""

def logsumexp(
    input: Tensor,
    dim: _int | Sequence[_int],
    keepdim: _bool = False,
    *,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] | None = None,
    keepdims: _bool | None = None,
) -> Tensor:
    """logsumexp(input, dim, keepdim=False) -> Tensor:
    log(sum(exp(input))) over dim, scaled so that it does not overflow.
    """

def lstm(
    input: Tensor,
    hx: Sequence[Tensor],
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
    batch_first: _bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """lstm(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first).

    Gives (output, h, c).

    Or, for a packed sequence, lstm(data, batch_sizes, hx, params, has_biases, num_layers, dropout, train,
    bidirectional). params: weight_ih, weight_hh and, with biases, bias_ih, bias_hh, for every layer and direction in
    order.
    """

def lstm_cell(
    input: Tensor,
    hx: tuple[Tensor, Tensor],
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """lstm_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None) -> (h, c): one step, input (N, I), hx = (h, c) (N, H)."""

def lstsq(*args: Any, **kwargs: Any) -> NoReturn:
    """lstsq(): removed from torch, whose RuntimeError this is."""

def lt(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor:
    """lt(input, other) -> bool Tensor: input < other."""

def lt_(input: Tensor, other: Tensor | Number | _complex) -> Tensor:
    """In-place form of lt."""

@overload
def lu(
    A: Tensor, pivot: _bool = True, get_infos: Literal[False] = False, out: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """lu(A, pivot=True, get_infos=False) -> (LU, pivots) or (LU, pivots, infos): the older name of linalg.lu_factor."""

@overload
def lu(
    A: Tensor, pivot: _bool, get_infos: Literal[True], out: tuple[Tensor, ...] | None = None
) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def lu(
    A: Tensor, pivot: _bool = True, *, get_infos: Literal[True], out: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]: ...
def lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = None) -> Tensor:
    """lu_solve(b, LU_data, LU_pivots) -> Tensor: the older name of linalg.lu_solve."""

def lu_unpack(
    LU_data: Tensor,
    LU_pivots: Tensor,
    unpack_data: _bool = True,
    unpack_pivots: _bool = True,
    *,
    out: tuple[Tensor, ...] | None = None,
) -> return_types.lu_unpack:
    """lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True) -> (P, L, U)"""

def manual_seed(seed: _int) -> Generator:
    """manual_seed(seed) -> the default generator, started from int(seed) in [-2**63, 2**64)."""

def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: _float = 0.0, reduction: _int = 0
) -> Tensor:
    """margin_ranking_loss(..., reduction=0) -> Tensor: nn.functional.margin_ranking_loss with the reduction as a number."""

def masked_fill(input: Tensor, mask: Tensor, value: Tensor | Number | _complex) -> Tensor:
    """masked_fill(input, mask, value) -> Tensor: value where the bool tensor mask is true; the type stays input's."""

def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """masked_scatter(input, mask, source) -> Tensor: source's elements, in order, where the bool mask is true."""

def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = None) -> Tensor:
    """masked_select(input, mask) -> 1-D Tensor: the elements where the bool mask is true (both broadcast)."""

def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """matmul(input, other) -> Tensor: vectors, matrices or batches of matrices (leading dimensions broadcast).

    Both 1-D: their dot product; a 1-D operand beside matrices acts as a row (first) or a column (second).
    """

def matrix_exp(input: Tensor) -> Tensor:
    """matrix_exp(input) -> Tensor: linalg.matrix_exp(input)."""

def matrix_power(input: Tensor, n: _int, *, out: Tensor | None = None) -> Tensor:
    """matrix_power(input, n) -> Tensor: square matrices multiplied n times; a negative n multiplies the inverse."""

def matrix_rank(*args: Any, **kwargs: Any) -> NoReturn:
    """matrix_rank(): removed from torch, whose RuntimeError this is."""

@overload
def max(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """max(input), max(input, dim, keepdim=False), max(input, other): the maximum of all elements; (values, indices) along dim; or element by element of two tensors (maximum)."""

@overload
def max(input: Tensor, dim: _int, keepdim: _bool = False, *, out: Tensor | None = None) -> return_types.max: ...
@overload
def max(
    input: Tensor, *, axis: _int, keepdim: _bool = False, keepdims: _bool | None = None, out: Tensor | None = None
) -> return_types.max: ...
@overload
def max(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def max_pool1d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: Literal[False] = False,
) -> Tensor:
    """max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False).

    Like max_pool2d for input (N, C, L) or (C, L).
    """

@overload
def max_pool1d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    *,
    return_indices: Literal[True],
) -> tuple[Tensor, Tensor]: ...
def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: _bool = True,
) -> tuple[Tensor, Tensor]:
    """max_pool1d_with_indices(input, ...) -> (Tensor, Tensor): max_pool1d with return_indices=True."""

@overload
def max_pool2d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: Literal[False] = False,
) -> Tensor:
    """max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False).

    The maximum of each window of input (N, C, H, W) or (C, H, W); padding counts as -inf; stride is kernel_size when
    None. With return_indices also where each lies, flat over H x W (int64). RuntimeError for sizes that do not fit.
    """

@overload
def max_pool2d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    *,
    return_indices: Literal[True],
) -> tuple[Tensor, Tensor]: ...
@overload
def max_pool3d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: Literal[False] = False,
) -> Tensor:
    """max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False).

    Like max_pool2d for input (N, C, D, H, W) or (C, D, H, W); indices are flat over D x H x W.
    """

@overload
def max_pool3d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    *,
    return_indices: Literal[True],
) -> tuple[Tensor, Tensor]: ...
def maximum(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """maximum(input, other) -> Tensor: the greater of two elements; NaN if either is. A tie halves the gradient."""

def maximum_(input: Tensor, other: Tensor) -> Tensor:
    """In-place form of maximum."""

def mean(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: dtype | None = None,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] | None = None,
    keepdims: _bool | None = None,
) -> Tensor:
    """mean(input, dim=None, keepdim=False, *, dtype=None) -> Tensor: the average over dim; floating types only."""

@overload
def median(input: Tensor) -> Tensor:
    """median(input) -> Tensor, or median(input, dim, keepdim=False) -> (values, indices): the lower median; NaN where there is one."""

@overload
def median(input: Tensor, dim: _int, keepdim: _bool = False, *, out: Tensor | None = None) -> return_types.median: ...
def merge_type_from_type_comment(*args: Any, **kwargs: Any) -> NoReturn:
    """merge_type_from_type_comment(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

def meshgrid(*tensors: Tensor | Sequence[Tensor], indexing: Literal["ij", "xy"] | None = None) -> tuple[Tensor, ...]:
    """meshgrid(*tensors, indexing=None) -> tuple:
    each vector spread over the grid that all span ("ij" or "xy" order).
    """

@overload
def min(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """min(input), min(input, dim, keepdim=False), min(input, other): the minimum of all elements; (values, indices) along dim; or element by element of two tensors (minimum)."""

@overload
def min(input: Tensor, dim: _int, keepdim: _bool = False, *, out: Tensor | None = None) -> return_types.min: ...
@overload
def min(
    input: Tensor, *, axis: _int, keepdim: _bool = False, keepdims: _bool | None = None, out: Tensor | None = None
) -> return_types.min: ...
@overload
def min(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def minimum(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """minimum(input, other) -> Tensor: the less of two elements; NaN if either is. A tie halves the gradient."""

def minimum_(input: Tensor, other: Tensor) -> Tensor:
    """In-place form of minimum."""

def miopen_batch_norm(*args: Any, **kwargs: Any) -> NoReturn:
    """miopen_batch_norm(): NotImplementedError, lucid has no MIOpen."""

def miopen_convolution(*args: Any, **kwargs: Any) -> NoReturn:
    """miopen_convolution(): NotImplementedError, lucid has no MIOpen."""

def miopen_convolution_add_relu(*args: Any, **kwargs: Any) -> NoReturn:
    """miopen_convolution_add_relu(): NotImplementedError, lucid has no MIOpen."""

def miopen_convolution_relu(*args: Any, **kwargs: Any) -> NoReturn:
    """miopen_convolution_relu(): NotImplementedError, lucid has no MIOpen."""

def miopen_convolution_transpose(*args: Any, **kwargs: Any) -> NoReturn:
    """miopen_convolution_transpose(): NotImplementedError, lucid has no MIOpen."""

def miopen_ctc_loss(*args: Any, **kwargs: Any) -> NoReturn:
    """miopen_ctc_loss(...): NotImplementedError, lucid has no MIOpen."""

def miopen_depthwise_convolution(*args: Any, **kwargs: Any) -> NoReturn:
    """miopen_depthwise_convolution(): NotImplementedError, lucid has no MIOpen."""

def miopen_rnn(*args: Any, **kwargs: Any) -> NoReturn:
    """miopen_rnn(): NotImplementedError, lucid has no MIOpen."""

def mkldnn_adaptive_avg_pool2d(*args: Any, **kwargs: Any) -> NoReturn:
    """mkldnn_adaptive_avg_pool2d(...): NotImplementedError, lucid has no oneDNN."""

def mkldnn_convolution(*args: Any, **kwargs: Any) -> NoReturn:
    """mkldnn_convolution(...): NotImplementedError, lucid has no oneDNN."""

def mkldnn_linear_backward_weights(*args: Any, **kwargs: Any) -> NoReturn:
    """mkldnn_linear_backward_weights(...): NotImplementedError, lucid has no oneDNN."""

def mkldnn_max_pool2d(*args: Any, **kwargs: Any) -> NoReturn:
    """mkldnn_max_pool2d(...): NotImplementedError, lucid has no oneDNN."""

def mkldnn_max_pool3d(*args: Any, **kwargs: Any) -> NoReturn:
    """mkldnn_max_pool3d(...): NotImplementedError, lucid has no oneDNN."""

def mkldnn_rnn_layer(*args: Any, **kwargs: Any) -> NoReturn:
    """mkldnn_rnn_layer(...): NotImplementedError, lucid has no oneDNN."""

def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """mm(input, mat2) -> Tensor: the product of two matrices, (n, m) @ (m, p) -> (n, p)."""

def mode(
    input: Tensor,
    dim: _int = -1,
    keepdim: _bool = False,
    *,
    out: tuple[Tensor, ...] | None = None,
    axis: _int | None = None,
    keepdims: _bool | None = None,
) -> return_types.mode:
    """mode(input, dim=-1, keepdim=False) -> (values, indices):
    the most frequent value along dim, the least of several.
    """

def moveaxis(input: Tensor, source: _int | Sequence[_int], destination: _int | Sequence[_int]) -> Tensor:
    """movedim(input, source, destination) -> Tensor: dimensions `source` move to the places `destination`."""

def movedim(input: Tensor, source: _int | Sequence[_int], destination: _int | Sequence[_int]) -> Tensor:
    """movedim(input, source, destination) -> Tensor: dimensions `source` move to the places `destination`."""

def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """msort(input) -> Tensor: sorted along the first dimension."""

def mul(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor:
    """mul(input, other) -> Tensor: the product, element by element, broadcast together."""

def mul_(input: Tensor, other: Tensor | Number | _complex) -> Tensor:
    """In-place form of mul."""

def multinomial(
    input: Tensor,
    num_samples: _int,
    replacement: _bool = False,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """multinomial(input, num_samples, replacement=False, *, generator=None, out=None) -> int64 Tensor of indices drawn
    with the weights in input's last dimension: (num_samples,) or (rows, num_samples).
    """

def multiply(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor:
    """mul(input, other) -> Tensor: the product, element by element, broadcast together."""

def multiply_(input: Tensor, other: Tensor | Number | _complex) -> Tensor:
    """In-place form of mul."""

def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    """mv(input, vec) -> Tensor: a matrix times a vector, (n, m) @ (m,) -> (n,)."""

def mvlgamma(input: Tensor, p: _int, *, out: Tensor | None = None) -> Tensor:
    """mvlgamma(input, p) -> Tensor: the logarithm of the multivariate gamma function of dimension p."""

def mvlgamma_(input: Tensor, p: _int) -> Tensor:
    """In-place form of mvlgamma."""

def nan_to_num(
    input: Tensor,
    nan: _float | None = None,
    posinf: _float | None = None,
    neginf: _float | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """nan_to_num(input, nan=0.0, posinf=None, neginf=None) -> Tensor:
    NaN and infinities replaced (None: by the type's limits).
    """

def nan_to_num_(
    input: Tensor, nan: _float | None = None, posinf: _float | None = None, neginf: _float | None = None
) -> Tensor:
    """In-place form of nan_to_num."""

def nanmean(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """nanmean(input, dim=None, keepdim=False, *, dtype=None) -> Tensor: the average of what is not NaN."""

@overload
def nanmedian(input: Tensor) -> Tensor:
    """nanmedian(input) -> Tensor, or nanmedian(input, dim, keepdim=False) -> (values, indices): the lower median; NaN is left out."""

@overload
def nanmedian(
    input: Tensor, dim: _int, keepdim: _bool = False, *, out: Tensor | None = None
) -> return_types.nanmedian: ...
def nanquantile(
    input: Tensor,
    q: Tensor | _float,
    dim: _int | None = None,
    keepdim: _bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor:
    """nanquantile(input, q, dim=None, keepdim=False, *, interpolation="linear") -> Tensor:
    quantile of what is not NaN.
    """

def nansum(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: dtype | None = None,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] | None = None,
    keepdims: _bool | None = None,
) -> Tensor:
    """nansum(input, dim=None, keepdim=False, *, dtype=None) -> Tensor: the sum of what is not NaN."""

def narrow(input: Tensor, dim: _int, start: Tensor | _int, length: _int) -> Tensor:
    """narrow(input, dim, start, length) -> Tensor: `length` slices of dim from start on, a view."""

def narrow_copy(
    input: Tensor, dim: _int, start: Tensor | _int, length: _int, *, out: Tensor | None = None, axis: _int | None = None
) -> Tensor:
    """narrow_copy(input, dim, start, length) -> Tensor: like narrow, in memory of its own."""

def native_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: _bool,
    momentum: _float,
    eps: _float,
    *,
    out: tuple[Tensor, ...] | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """native_batch_norm(...) -> (out, mean, 1 / sqrt(var + eps)); the statistics are empty when not training."""

def native_channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """native_channel_shuffle(input, groups) -> Tensor: see channel_shuffle."""

def native_dropout(input: Tensor, p: _float, train: _bool) -> tuple[Tensor, Tensor]:
    """native_dropout(input, p, train) -> (Tensor, Tensor): input with elements set to 0 with probability p and the
    others divided by 1 - p, and where they stayed. train=False: input, and ones.
    """

def native_group_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, N: _int, C: _int, HxW: _int, group: _int, eps: _float
) -> tuple[Tensor, Tensor, Tensor]:
    """native_group_norm(input, weight, bias, N, C, HxW, group, eps) -> (out, mean, 1 / sqrt(var + eps))."""

def native_layer_norm(
    input: Tensor, normalized_shape: Sequence[_int], weight: Tensor | None, bias: Tensor | None, eps: _float
) -> tuple[Tensor, Tensor, Tensor]:
    """native_layer_norm(input, normalized_shape, weight, bias, eps) -> (out, mean, 1 / sqrt(var + eps))."""

def native_norm(*args: Any, **kwargs: Any) -> NoReturn:
    """native_norm(): NotImplementedError, lucid has no torch.native_norm; use torch.norm."""

def ne(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor:
    """ne(input, other) -> bool Tensor: input != other."""

def ne_(input: Tensor, other: Tensor | Number | _complex) -> Tensor:
    """In-place form of ne."""

def neg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """neg(input) -> Tensor: -input. RuntimeError for bools."""

def neg_(input: Tensor) -> Tensor:
    """In-place form of neg."""

def negative(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """neg(input) -> Tensor: -input. RuntimeError for bools."""

def negative_(input: Tensor) -> Tensor:
    """In-place form of neg."""

def nextafter(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """nextafter(input, other) -> Tensor: the next representable number from input towards other."""

def nextafter_(input: Tensor, other: Tensor) -> Tensor:
    """In-place form of nextafter."""

@overload
def nonzero(input: Tensor, *, out: Tensor | None = None, as_tuple: Literal[False] = False) -> Tensor:
    """nonzero(input, as_tuple=False) -> (n, ndim) int64 Tensor of coordinates, or a tuple with a vector per
    dimension.
    """

@overload
def nonzero(input: Tensor, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]: ...
def nonzero_static(input: Tensor, *, size: _int, fill_value: _int = -1, out: Tensor | None = None) -> Tensor:
    """nonzero_static(input, size, fill_value=-1) -> (size, ndim) int64 Tensor:
    nonzero, cut off or filled up to `size` rows.
    """

def norm(
    input: Tensor,
    p: _float | Literal["fro", "nuc"] = "fro",
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    out: Tensor | None = None,
    dtype: dtype | None = None,
) -> Tensor:
    """norm(input, p="fro", dim=None, keepdim=False, dtype=None) -> Tensor:
    the p-norm over dim (all elements when None).

    p: a number, inf, -inf, "fro" (2) or "nuc" (of matrices).
    """

def norm_except_dim(v: Tensor, pow: _float = 2, dim: _int = 0) -> Tensor:
    """norm_except_dim(v, pow=2, dim=0) -> the p-norms over all dimensions but dim, as size 1 there; dim=-1:
    of all elements.
    """

@overload
def normal(
    mean: Tensor | _float, std: Tensor | _float = 1.0, *, generator: Generator | None = None, out: Tensor | None = None
) -> Tensor:
    """normal(mean, std, *, generator=None, out=None) -> Tensor of normal numbers; mean, std:
    tensors (broadcast) or numbers.

    normal(mean, std, size, *, dtype=None, device=None, requires_grad=False ...) -> Tensor of that shape; both are
    numbers.
    """

@overload
def normal(
    mean: _float,
    std: _float,
    size: Sequence[_int],
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor: ...
def not_equal(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor:
    """ne(input, other) -> bool Tensor: input != other."""

def not_equal_(input: Tensor, other: Tensor | Number | _complex) -> Tensor:
    """In-place form of ne."""

def nuclear_norm(
    input: Tensor, dim: Sequence[_int] | _bool = (-2, -1), keepdim: _bool = False, *, out: Tensor | None = None
) -> Tensor:
    """nuclear_norm(input, dim=(-2, -1), keepdim=False) -> Tensor: the sums of matrices' singular values."""

def numel(input: Tensor) -> _int:
    """numel(input) -> int: the number of elements."""

@overload
def ones(
    *size: _int,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    names: list[str] | None = None,
) -> Tensor:
    """ones(*size) -> Tensor of that shape filled with 1."""

@overload
def ones(
    size: Sequence[_int],
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    names: list[str] | None = None,
) -> Tensor: ...
def ones_like(
    input: Tensor,
    *,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    memory_format: memory_format = ...,
    pin_memory: _bool = False,
) -> Tensor:
    """ones_like(input) -> Tensor of input's shape, type, device and memory order."""

def orgqr(A: Tensor, tau: Tensor, *, out: Tensor | None = None) -> Tensor:
    """householder_product(A, tau) -> Tensor: the first columns of the product of the reflectors below A's diagonal."""

def ormqr(
    input: Tensor,
    tau: Tensor,
    other: Tensor | Number | _complex,
    left: _bool = True,
    transpose: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """ormqr(input, tau, other, left=True, transpose=False) -> Tensor: Q @ other (or other @ Q), with Q square, whose
    reflectors are in input and tau as geqrf gives them; transpose: with Q's adjoint.
    """

def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """outer(input, vec2) -> Tensor: the products of all pairs, (n,) and (m,) -> (n, m)."""

def pairwise_distance(x1: Tensor, x2: Tensor, p: _float = 2.0, eps: _float = 1e-06, keepdim: _bool = False) -> Tensor:
    """pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False) -> Tensor:
    the p-norm of x1 - x2 + eps over the last dim.
    """

def parse_ir(*args: Any, **kwargs: Any) -> NoReturn:
    """parse_ir(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

def parse_schema(*args: Any, **kwargs: Any) -> NoReturn:
    """parse_schema(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

def parse_type_comment(*args: Any, **kwargs: Any) -> NoReturn:
    """parse_type_comment(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

def pca_lowrank(
    A: Tensor, q: _int | None = None, center: _bool = True, niter: _int = 2
) -> tuple[Tensor, Tensor, Tensor]:
    """pca_lowrank(A, q=None, center=True, niter=2) -> (U, S, V): principal components of the rows of A, V's columns.

    q: how many, min(6, m, n) when None. center: the columns' means are taken away first. ValueError for a q or niter
    that makes no sense.
    """

def pdist(input: Tensor, p: _float = 2.0) -> Tensor:
    """pdist(input, p=2.0) -> Tensor: p-norm distances of all pairs of different rows, (n, m) -> (n (n - 1) / 2,)."""

@overload
def permute(input: Tensor, *dims: _int) -> Tensor:
    """permute(input, dims) -> Tensor: the dimensions in another order, the same memory."""

@overload
def permute(input: Tensor, dims: Sequence[_int]) -> Tensor: ...
def permute_copy(input: Tensor, dims: Sequence[_int], *, out: Tensor | None = None) -> Tensor:
    """permute_copy(...) -> what permute gives, in memory of its own."""

def pinverse(input: Tensor, rcond: _float = 1e-15) -> Tensor:
    """pinverse(input, rcond=1e-15) -> Tensor: linalg.pinv(input, rcond)."""

def pixel_shuffle(input: Tensor, upscale_factor: _int) -> Tensor:
    """pixel_shuffle(input, upscale_factor) -> Tensor: (*, C r^2, H, W) as (*, C, H r, W r) (Shi et al. 2016)."""

def pixel_unshuffle(input: Tensor, downscale_factor: _int) -> Tensor:
    """pixel_unshuffle(input, downscale_factor) -> Tensor: the inverse of pixel_shuffle."""

def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """poisson(input, generator=None) -> Tensor of Poisson counts of the rates in input, in its floating type."""

def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: _bool, full: _bool, eps: _float, reduction: _int
) -> Tensor:
    """poisson_nll_loss(input, target, log_input, full, eps, reduction) -> Tensor."""

def polar(abs: Tensor, angle: Tensor, *, out: Tensor | None = None) -> Tensor:
    """polar(abs, angle) -> complex Tensor: abs * exp(i * angle)."""

def polygamma(n: _int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """polygamma(n, input) -> Tensor: the n-th derivative of digamma. RuntimeError for n < 0."""

def positive(input: Tensor) -> Tensor:
    """positive(input) -> input itself. RuntimeError for bools."""

def pow(
    input: Tensor | Number | _complex, exponent: Tensor | Number | _complex, *, out: Tensor | None = None
) -> Tensor:
    """pow(input, exponent) -> Tensor: input to the power exponent; either may be a number.

    RuntimeError for integers to a negative number's power. The gradient is 0 where exponent is 0.
    """

def pow_(self: Tensor, exponent: Tensor | Number | _complex) -> Tensor:
    """In-place form of pow."""

def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """prelu(input, weight) -> Tensor: input above 0, weight * input below; one weight or one a channel (dim 1)."""

def prepare_multiprocessing_environment(path: Any) -> None:
    """prepare_multiprocessing_environment(path): nothing, as in torch's own builds."""

def prod(
    input: Tensor,
    dim: _int | None = None,
    keepdim: _bool = False,
    *,
    dtype: dtype | None = None,
    out: Tensor | None = None,
    axis: _int | None = None,
    keepdims: _bool | None = None,
) -> Tensor:
    """prod(input, dim=None, keepdim=False, *, dtype=None) -> Tensor: the product over one dimension or all."""

def profiler_allow_cudagraph_cupti_lazy_reinit_cuda12() -> _bool:
    """profiler_allow_cudagraph_cupti_lazy_reinit_cuda12() -> True"""

def promote_types(type1: dtype, type2: dtype) -> dtype:
    """promote_types(type1, type2) -> dtype: the smallest type torch converts both to."""

def put(input: Tensor, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor:
    """put(input, index, source, accumulate=False) -> Tensor:
    input read as one long vector, with source's elements at index.
    """

def q_per_channel_axis(*args: Any, **kwargs: Any) -> NoReturn:
    """q_per_channel_axis(): NotImplementedError, lucid has no quantized tensors."""

def q_per_channel_scales(*args: Any, **kwargs: Any) -> NoReturn:
    """q_per_channel_scales(): NotImplementedError, lucid has no quantized tensors."""

def q_per_channel_zero_points(*args: Any, **kwargs: Any) -> NoReturn:
    """q_per_channel_zero_points(): NotImplementedError, lucid has no quantized tensors."""

def q_scale(*args: Any, **kwargs: Any) -> NoReturn:
    """q_scale(): NotImplementedError, lucid has no quantized tensors."""

def q_zero_point(*args: Any, **kwargs: Any) -> NoReturn:
    """q_zero_point(): NotImplementedError, lucid has no quantized tensors."""

def qr(input: Tensor, some: _bool = True, *, out: tuple[Tensor, ...] | None = None) -> return_types.qr:
    """qr(input, some=True) -> (Q, R): the older name of linalg.qr; some=False gives a complete Q."""

def quantile(
    input: Tensor,
    q: Tensor | _float,
    dim: _int | None = None,
    keepdim: _bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor:
    """quantile(input, q, dim=None, keepdim=False, *, interpolation="linear") -> Tensor: the q-quantiles along dim.

    q: a number in [0, 1] or a 1-D tensor of such, which adds a first dimension. float32 and float64 only.
    """

def quantize_per_channel(*args: Any, **kwargs: Any) -> NoReturn:
    """quantize_per_channel(): NotImplementedError, lucid has no quantized tensors."""

def quantize_per_tensor(*args: Any, **kwargs: Any) -> NoReturn:
    """quantize_per_tensor(): NotImplementedError, lucid has no quantized tensors."""

def quantize_per_tensor_dynamic(*args: Any, **kwargs: Any) -> NoReturn:
    """quantize_per_tensor_dynamic(): NotImplementedError, lucid has no quantized tensors."""

def quantized_batch_norm(*args: Any, **kwargs: Any) -> NoReturn:
    """quantized_batch_norm(): NotImplementedError, lucid has no quantized tensors."""

def quantized_gru(*args: Any, **kwargs: Any) -> NoReturn:
    """quantized_gru(...): NotImplementedError, lucid has no quantized tensors."""

def quantized_gru_cell(*args: Any, **kwargs: Any) -> NoReturn:
    """quantized_gru_cell(): NotImplementedError, lucid has no quantized tensors."""

def quantized_lstm(*args: Any, **kwargs: Any) -> NoReturn:
    """quantized_lstm(...): NotImplementedError, lucid has no quantized tensors."""

def quantized_lstm_cell(*args: Any, **kwargs: Any) -> NoReturn:
    """quantized_lstm_cell(): NotImplementedError, lucid has no quantized tensors."""

def quantized_max_pool1d(*args: Any, **kwargs: Any) -> NoReturn:
    """quantized_max_pool1d(): NotImplementedError, lucid has no quantized tensors."""

def quantized_max_pool2d(*args: Any, **kwargs: Any) -> NoReturn:
    """quantized_max_pool2d(): NotImplementedError, lucid has no quantized tensors."""

def quantized_max_pool3d(*args: Any, **kwargs: Any) -> NoReturn:
    """quantized_max_pool3d(): NotImplementedError, lucid has no quantized tensors."""

def quantized_rnn_relu_cell(*args: Any, **kwargs: Any) -> NoReturn:
    """quantized_rnn_relu_cell(): NotImplementedError, lucid has no quantized tensors."""

def quantized_rnn_tanh_cell(*args: Any, **kwargs: Any) -> NoReturn:
    """quantized_rnn_tanh_cell(): NotImplementedError, lucid has no quantized tensors."""

def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """rad2deg(input) -> Tensor: radians as degrees."""

def rad2deg_(input: Tensor) -> Tensor:
    """In-place form of rad2deg."""

@overload
def rand(
    *size: _int,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """rand(*size, *, generator=None, out=None, dtype=None, device=None, requires_grad=False) -> Tensor of numbers in
    [0, 1).
    """

@overload
def rand(
    size: Sequence[_int],
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor: ...
def rand_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    memory_format: memory_format = ...,
    pin_memory: _bool = False,
) -> Tensor:
    """rand_like(input, *, generator=None ...) -> Tensor like input in shape, type, device and memory order."""

@overload
def randint(
    high: _int,
    size: Sequence[_int],
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """randint(low=0, high, size, *, generator=None, dtype=int64 ...) -> Tensor of integers in [low, high)."""

@overload
def randint(
    low: _int,
    high: _int,
    size: Sequence[_int],
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor: ...
@overload
def randint_like(
    input: Tensor,
    high: _int,
    *,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    memory_format: memory_format = ...,
) -> Tensor:
    """randint_like(input, low=0, high, *, generator=None ...) -> Tensor like input, of integers in [low, high)."""

@overload
def randint_like(
    input: Tensor,
    low: _int,
    high: _int,
    *,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    memory_format: memory_format = ...,
) -> Tensor: ...
@overload
def randn(
    *size: _int,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """randn(*size, *, generator=None, out=None, dtype=None, device=None, requires_grad=False) -> Tensor of standard
    normals.
    """

@overload
def randn(
    size: Sequence[_int],
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor: ...
def randn_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    memory_format: memory_format = ...,
    pin_memory: _bool = False,
) -> Tensor:
    """randn_like(input, *, generator=None ...) -> Tensor like input in shape, type, device and memory order."""

def randperm(
    n: _int,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | _int | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor:
    """randperm(n, *, generator=None, dtype=int64 ...) -> 1-D Tensor: the integers 0 to n - 1 in random order."""

def range(
    start: Number = 0,
    end: Number | None = None,
    step: Number = 1,
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
) -> Tensor:
    """range(start=0, end, step=1) -> like arange, with the end included (deprecated in torch)."""

def ravel(input: Tensor) -> Tensor:
    """ravel(input) -> 1-D Tensor: a view where input is contiguous, else a copy."""

def real(input: Tensor) -> Tensor:
    """real(input) -> Tensor: a view of the real parts; a real tensor itself."""

def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """reciprocal(input) -> Tensor: 1 / input."""

def reciprocal_(input: Tensor) -> Tensor:
    """In-place form of reciprocal."""

def relu(input: Tensor) -> Tensor:
    """relu(input) -> Tensor: max(input, 0); NaN stays NaN. Its gradient at 0 is 0."""

def relu_(input: Tensor) -> Tensor:
    """In-place form of relu."""

def remainder(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor:
    """remainder(input, other) -> Tensor: what floor_divide leaves; it has other's sign.

    RuntimeError for an integer divided by 0.
    """

def renorm(
    input: Tensor, p: _float, dim: _int, maxnorm: Number, *, out: Tensor | None = None, axis: _int | None = None
) -> Tensor:
    """renorm(input, p, dim, maxnorm) -> Tensor: slices along dim whose p-norm is above maxnorm scaled down to it."""

def renorm_(input: Tensor, p: _float, dim: _int, maxnorm: Number) -> Tensor:
    """In-place form of renorm."""

@overload
def repeat_interleave(
    input: Tensor, repeats: Tensor | _int, dim: _int | None = None, *, output_size: _int | None = None
) -> Tensor:
    """repeat_interleave(input, repeats, dim=None) -> Tensor:
    each slice of dim as often as repeats says (flat when None).

    repeat_interleave(repeats) gives the indices of such slices.
    """

@overload
def repeat_interleave(repeats: Tensor, *, output_size: _int | None = None) -> Tensor: ...
@overload
def reshape(input: Tensor, *shape: _int) -> Tensor:
    """reshape(input, shape) -> Tensor: a view where the memory allows it, else a copy."""

@overload
def reshape(input: Tensor, shape: Sequence[_int]) -> Tensor: ...
def resize_as_(self: Tensor, the_template: Tensor, memory_format: memory_format = ...) -> Tensor:
    """resize_as_(tensor) -> self with tensor's shape."""

def resize_as_sparse_(input: Tensor, the_template: Tensor) -> Tensor:
    """resize_as_sparse_(the_template) -> input in the size of another sparse tensor."""

def resolve_conj(input: Tensor) -> Tensor:
    """resolve_conj(input) -> Tensor: a copy of a view that is conjugated when read; any other tensor itself."""

def resolve_neg(input: Tensor) -> Tensor:
    """resolve_neg(input) -> Tensor: a copy of a view that is negated when read; any other tensor itself."""

def result_type(
    tensor: Tensor | Number | _complex | None = None,
    other: Tensor | Number | _complex | None = None,
    *,
    tensor1: Tensor | Number | _complex | None = None,
    scalar: Tensor | Number | _complex | None = None,
    tensor2: Tensor | Number | _complex | None = None,
    scalar1: Tensor | Number | _complex | None = None,
    scalar2: Tensor | Number | _complex | None = None,
) -> dtype:
    """result_type(tensor1, tensor2) -> dtype of a result computed from two operands (tensors or numbers)."""

def rms_norm(
    input: Tensor, normalized_shape: Sequence[_int], weight: Tensor | None = None, eps: _float | None = None
) -> Tensor:
    """rms_norm(input, normalized_shape, weight=None, eps=None) -> Tensor: input / sqrt(mean of squares + eps) * weight.

    The mean is over the last len(normalized_shape) dimensions; eps is the type's machine epsilon when None (Zhang and
    Sennrich 2019).
    """

def rnn_relu(
    input: Tensor,
    hx: Tensor,
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
    batch_first: _bool,
) -> tuple[Tensor, Tensor]:
    """rnn_relu(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first).

    Gives (output, h).

    Or, for a packed sequence, rnn_relu(data, batch_sizes, hx, params, has_biases, num_layers, dropout, train,
    bidirectional). params: weight_ih, weight_hh and, with biases, bias_ih, bias_hh, for every layer and direction in
    order.
    """

def rnn_relu_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    """rnn_relu_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None) -> Tensor: one step, input (N, I), hx (N, H)."""

def rnn_tanh(
    input: Tensor,
    hx: Tensor,
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
    batch_first: _bool,
) -> tuple[Tensor, Tensor]:
    """rnn_tanh(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first).

    Gives (output, h).

    Or, for a packed sequence, rnn_tanh(data, batch_sizes, hx, params, has_biases, num_layers, dropout, train,
    bidirectional). params: weight_ih, weight_hh and, with biases, bias_ih, bias_hh, for every layer and direction in
    order.
    """

def rnn_tanh_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    """rnn_tanh_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None) -> Tensor: one step, input (N, I), hx (N, H)."""

def roll(input: Tensor, shifts: _int | Sequence[_int], dims: _int | Sequence[_int] = ()) -> Tensor:
    """roll(input, shifts, dims=()) -> Tensor:
    elements moved along dims, coming in again at the other end (flat without dims).
    """

def rot90(input: Tensor, k: _int = 1, dims: Sequence[_int] = (0, 1)) -> Tensor:
    """rot90(input, k=1, dims=(0, 1)) -> Tensor: turned by k quarter turns from the first of dims to the second."""

def round(input: Tensor, *, decimals: _int | None = None, out: Tensor | None = None) -> Tensor:
    """round(input, *, decimals=0) -> Tensor: to the nearest multiple of 10**-decimals, halves to the even one."""

def round_(input: Tensor, *, decimals: _int | None = None) -> Tensor:
    """In-place form of round."""

def row_indices_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """row_indices_copy(input) -> Tensor: what row_indices gives, in memory of its own."""

def row_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """vstack(tensors) -> Tensor: cat along dimension 0, vectors as rows."""

def rrelu(
    input: Tensor,
    lower: Number = 0.125,
    upper: Number = 0.3333333333333333,
    training: _bool = False,
    generator: Generator | None = None,
) -> Tensor:
    """rrelu(input, lower=1/8, upper=1/3, training=False, generator=None) -> Tensor; see nn.functional."""

def rrelu_(
    input: Tensor,
    lower: Number = 0.125,
    upper: Number = 0.3333333333333333,
    training: _bool = False,
    generator: Generator | None = None,
) -> Tensor:
    """rrelu_(input, lower=1/8, upper=1/3, training=False, generator=None) -> Tensor; see nn.functional."""

def rsqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """rsqrt(input) -> Tensor: 1 / sqrt(input)."""

def rsqrt_(input: Tensor) -> Tensor:
    """In-place form of rsqrt."""

def rsub(input: Tensor, other: Tensor | Number | _complex, alpha: Number | _complex = 1) -> Tensor:
    """rsub(input, other, *, alpha=1) -> Tensor: other - alpha * input."""

def saddmm(
    input: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    *,
    beta: Number | _complex = 1,
    alpha: Number | _complex = 1,
    out: Tensor | None = None,
) -> Tensor:
    """saddmm(input, mat1, mat2) -> Tensor: sspaddmm under an older name."""

def save(obj: Any, f: FileLike, pickle_module: Any = ..., pickle_protocol: _int = 2) -> None:
    """save(obj, f, pickle_module=pickle, pickle_protocol=2): write obj to a path or a file object, as torch would.

    Tensors keep their strides and share memory after loading where they shared it before. A file that exists is
    replaced only once the new one is whole.
    """

def scalar_tensor(
    s: Number | _complex,
    *,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """scalar_tensor(s) -> 0-dim Tensor of the default type. RuntimeError for a complex number in a real type."""

def scatter(
    input: Tensor,
    dim: _int,
    index: Tensor,
    src: Tensor | Number | _complex | None = None,
    *,
    value: Number | _complex | None = None,
    reduce: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """scatter(input, dim, index, src) -> Tensor: a copy with out[index[i][j]][j] = src[i][j] for dim 0, and so on.

    src: a tensor or a number (`value=`); reduce: None, "add" or "multiply".
    """

def scatter_add(input: Tensor, dim: _int, index: Tensor, src: Tensor, *, out: Tensor | None = None) -> Tensor:
    """scatter_add(input, dim, index, src) -> Tensor:
    input plus src's elements at index along dim, repeats adding up.
    """

def scatter_reduce(
    input: Tensor,
    dim: _int,
    index: Tensor,
    src: Tensor,
    reduce: str,
    *,
    include_self: _bool = True,
    out: Tensor | None = None,
) -> Tensor:
    """scatter_reduce(input, dim, index, src, reduce, include_self=True) -> Tensor:
    src's elements reduced into index's places.

    reduce: "sum", "prod", "mean", "amax" or "amin"; include_self: is input's own value among the reduced ones?
    """

def searchsorted(
    sorted_sequence: Tensor,
    input: Tensor | Number | _complex,
    *,
    out_int32: _bool = False,
    right: _bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """searchsorted(sorted_sequence, input, *, right=False) -> int64 Tensor:
    where each value goes to keep the row sorted.

    sorted_sequence: 1-D, or (*, n) with input (*, m); sorter: the indices that sort it. right: after equal elements.
    """

def seed() -> _int:
    """seed() -> int: start the default generator from the system's entropy and tell which seed that was."""

def segment_reduce(
    data: Tensor,
    reduce: str,
    *,
    lengths: Tensor | None = None,
    indices: Tensor | None = None,
    offsets: Tensor | None = None,
    axis: _int = 0,
    unsafe: _bool = False,
    initial: Number | None = None,
) -> Tensor:
    """segment_reduce(data, reduce, *, lengths=None, offsets=None, axis=0, unsafe=False, initial=None) -> Tensor.

    data cut along axis into pieces of these lengths, or at these offsets, and each reduced: reduce is "sum", "mean",
    "prod", "max" or "min". axis must be the last dimension of lengths; those before it are data's. unsafe: lengths are
    not checked. initial: what each piece begins with.
    """

def select(input: Tensor, dim: _int, index: _int, *, axis: _int | None = None) -> Tensor:
    """select(input, dim, index) -> Tensor: the slice at index, without dimension dim."""

def select_copy(
    input: Tensor, dim: _int, index: _int, *, out: Tensor | None = None, axis: _int | None = None
) -> Tensor:
    """select_copy(...) -> what select gives, in memory of its own."""

def select_scatter(input: Tensor, src: Tensor, dim: _int, index: _int, *, axis: _int | None = None) -> Tensor:
    """select_scatter(input, src, dim, index) -> Tensor: a copy whose slice `index` of dim is src."""

def selu(input: Tensor) -> Tensor:
    """selu(input) -> Tensor: elu with the constants of self-normalizing networks."""

def selu_(input: Tensor) -> Tensor:
    """In-place form of selu."""

def set_anomaly_enabled(enabled: _bool, check_nan: _bool = True) -> None:
    """set_anomaly_enabled(enabled, check_nan=True): turn anomaly mode on or off."""

def set_autocast_cache_enabled(enabled: _bool) -> None:
    """set_autocast_cache_enabled(enabled): cast parameters once only, or each time."""

def set_autocast_cpu_dtype(dtype: dtype) -> None:
    """set_autocast_cpu_dtype(dtype) -> None: deprecated in torch."""

def set_autocast_cpu_enabled(enabled: _bool) -> None:
    """set_autocast_cpu_enabled(enabled) -> None: deprecated in torch."""

def set_autocast_dtype(device_type: str, dtype: dtype) -> None:
    """set_autocast_dtype(device_type, dtype): what autocast uses there by default, in this thread."""

def set_autocast_enabled(device_type: str, enabled: _bool | None = None) -> None:
    """set_autocast_enabled(device_type, enabled): cast on devices of this type from now on, or do not; a lone argument
    is `enabled` for "cuda".
    """

def set_autocast_gpu_dtype(dtype: dtype) -> None:
    """set_autocast_gpu_dtype(dtype) -> None: deprecated in torch."""

def set_autocast_ipu_dtype(dtype: dtype) -> None:
    """set_autocast_ipu_dtype(dtype) -> None: deprecated in torch."""

def set_autocast_ipu_enabled(enabled: _bool) -> None:
    """set_autocast_ipu_enabled(enabled) -> None: deprecated in torch."""

def set_autocast_xla_dtype(dtype: dtype) -> None:
    """set_autocast_xla_dtype(dtype) -> None: deprecated in torch."""

def set_autocast_xla_enabled(enabled: _bool) -> None:
    """set_autocast_xla_enabled(enabled) -> None: deprecated in torch."""

def set_default_device(device: device | str | _int | None) -> None:
    """Make `place` (a device, a string, or None for the CPU) the device of new tensors."""

def set_default_dtype(d: dtype) -> None:
    """Make `d`, a floating type, the default. Raises TypeError for any other type."""

def set_default_tensor_type(t: type | str) -> None:
    """set_default_tensor_type(t): the default type and device as an old tensor class or its name,
    "torch.DoubleTensor".
    """

def set_deterministic_debug_mode(debug_mode: _int | str) -> None:
    """set_deterministic_debug_mode(mode): 0 or "default", 1 or "warn", 2 or "error"."""

def set_float32_matmul_precision(precision: str) -> None:
    """set_float32_matmul_precision("highest" | "high" | "medium"): kept to be told back; products are always exact to
    float32.
    """

def set_flush_denormal(mode: _bool) -> _bool:
    """set_flush_denormal(mode) -> bool: False, numpy keeps denormal numbers; True when they are to be kept anyway."""

def set_num_interop_threads(n: _int) -> None:
    """set_num_interop_threads(n): kept to be told back; lucid runs one op at a time."""

def set_num_threads(n: _int) -> None:
    """set_num_threads(n): how many threads native kernels and matrix products may use. Results do not
    depend on it, where there is a C compiler.
    """

def set_printoptions(
    precision: _int | None = None,
    threshold: _float | None = None,
    edgeitems: _int | None = None,
    linewidth: _int | None = None,
    profile: str | None = None,
    sci_mode: _bool | None = None,
) -> None:
    """Change how tensors print; what is None stays, except sci_mode, where None means "decide for each tensor".

    precision: digits after the point (4). threshold: more elements than this are summarised (1000). edgeitems: how many
    a summary shows at each end (3). linewidth: characters per line (80). profile: "default", "short" or "full".
    """

def set_rng_state(new_state: Tensor) -> None:
    """set_rng_state(new_state): continue from a state that get_rng_state gave."""

def set_warn_always(b: _bool) -> None:
    """set_warn_always(b): should warnings that come once per process come every time?"""

def sgn(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """sgn(input) -> Tensor: input / |input|, 0 for 0: sign, for complex numbers too."""

def sgn_(input: Tensor) -> Tensor:
    """In-place form of sgn."""

def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """sigmoid(input) -> Tensor: 1 / (1 + exp(-input))."""

def sigmoid_(input: Tensor) -> Tensor:
    """In-place form of sigmoid."""

def sign(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """sign(input) -> Tensor: -1, 0 or 1; 0 for NaN."""

def sign_(input: Tensor) -> Tensor:
    """In-place form of sign."""

def signbit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """signbit(input) -> bool Tensor: is the sign bit set (so for -0.0 too)?"""

def sin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """sin(input) -> Tensor: the sine of angles in radians."""

def sin_(input: Tensor) -> Tensor:
    """In-place form of sin."""

def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """sinc(input) -> Tensor: sin(pi x) / (pi x), 1 at 0."""

def sinc_(input: Tensor) -> Tensor:
    """In-place form of sinc."""

def sinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """sinh(input) -> Tensor: the hyperbolic sine."""

def sinh_(input: Tensor) -> Tensor:
    """In-place form of sinh."""

def slice_copy(
    input: Tensor,
    dim: _int = 0,
    start: _int | None = None,
    end: _int | None = None,
    step: _int = 1,
    *,
    out: Tensor | None = None,
    axis: _int | None = None,
) -> Tensor:
    """slice_copy(...) -> what slice gives, in memory of its own."""

def slice_inverse(
    input: Tensor, src: Tensor, dim: _int = 0, start: _int | None = None, end: _int | None = None, step: _int = 1
) -> Tensor:
    """slice_inverse(input, src, dim=0, start=None, end=None, step=1) -> Tensor: src, of which input is a slice, as a
    view of input's storage.
    """

def slice_scatter(
    input: Tensor,
    src: Tensor,
    dim: _int = 0,
    start: _int | None = None,
    end: _int | None = None,
    step: _int = 1,
    *,
    out: Tensor | None = None,
    axis: _int | None = None,
) -> Tensor:
    """slice_scatter(input, src, dim=0, start=None, end=None, step=1) -> Tensor:
    a copy whose slices start:end:step are src.
    """

def slogdet(input: Tensor, *, out: tuple[Tensor, ...] | None = None) -> return_types.slogdet:
    """slogdet(input) -> (sign, logabsdet): linalg.slogdet(input)."""

def smm(input: Tensor, mat: Tensor) -> Tensor:
    """smm(mat) -> Tensor, sparse: the product of a COO matrix and a dense one, as a COO tensor."""

def softmax(input: Tensor, dim: _int, dtype: dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """softmax(input, dim, dtype=None) -> Tensor: exp(input) divided by its sum over dim."""

def solve(*args: Any, **kwargs: Any) -> NoReturn:
    """solve(): removed from torch, whose RuntimeError this is."""

def sort(
    input: Tensor,
    dim: _int = -1,
    descending: _bool = False,
    stable: _bool | None = None,
    *,
    out: tuple[Tensor, ...] | None = None,
) -> return_types.sort:
    """sort(input, dim=-1, descending=False, *, stable=False) -> (values, indices) along dim; NaN is the largest.

    Equal elements keep their order whether stable is asked for or not.
    """

def sparse_bsc_tensor(*args: Any, **kwargs: Any) -> NoReturn:
    """sparse_bsc_tensor(...): NotImplementedError, lucid has no sparse_bsc tensors."""

def sparse_bsr_tensor(*args: Any, **kwargs: Any) -> NoReturn:
    """sparse_bsr_tensor(...): NotImplementedError, lucid has no sparse_bsr tensors."""

def sparse_compressed_tensor(
    compressed_indices: Tensor | Sequence[Any],
    plain_indices: Tensor | Sequence[Any],
    values: Tensor | Sequence[Any],
    size: _int | Sequence[_int] | None = None,
    *,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: device | str | _int | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    check_invariants: _bool | None = None,
) -> Tensor:
    """sparse_compressed_tensor(compressed_indices, plain_indices, values, size=None, *, layout) -> Tensor, sparse.

    layout: sparse_csr or sparse_csc; NotImplementedError for layouts of blocks, RuntimeError for others.
    """

def sparse_coo_tensor(
    indices: Tensor | Sequence[Any],
    values: Tensor | Sequence[Any] | None = None,
    size: _int | Sequence[_int] | None = None,
    *,
    dtype: dtype | None = None,
    device: device | str | _int | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    check_invariants: _bool | None = None,
    is_coalesced: _bool | None = None,
) -> Tensor:
    """sparse_coo_tensor(indices, values, size=None) -> Tensor, sparse: values (nnz, *dense) at indices (dims, nnz).

    sparse_coo_tensor(size): one in which nothing is named. The size is as small as it can be where it is not given.
    check_invariants: look at all indices (RuntimeError for one outside). is_coalesced: promises that they are in order.
    """

def sparse_csc_tensor(
    ccol_indices: Tensor | Sequence[Any],
    row_indices: Tensor | Sequence[Any],
    values: Tensor | Sequence[Any],
    size: _int | Sequence[_int] | None = None,
    *,
    dtype: dtype | None = None,
    device: device | str | _int | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    check_invariants: _bool | None = None,
) -> Tensor:
    """sparse_csc_tensor(ccol_indices, row_indices, values, size=None) -> Tensor, sparse by compressed columns."""

def sparse_csr_tensor(
    crow_indices: Tensor | Sequence[Any],
    col_indices: Tensor | Sequence[Any],
    values: Tensor | Sequence[Any],
    size: _int | Sequence[_int] | None = None,
    *,
    dtype: dtype | None = None,
    device: device | str | _int | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    check_invariants: _bool | None = None,
) -> Tensor:
    """sparse_csr_tensor(crow_indices, col_indices, values, size=None) -> Tensor, sparse by compressed rows.

    crow_indices (*batch, rows + 1) says where each row begins in col_indices (*batch, nnz).
    """

def split(tensor: Tensor, split_size_or_sections: _int | Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]:
    """split(tensor, split_size_or_sections, dim=0) -> tuple of views: parts of one size, or of the sizes given."""

def split_copy(
    input: Tensor,
    split_size: _int | Sequence[_int],
    dim: _int = 0,
    *,
    out: tuple[Tensor, ...] | None = None,
    axis: _int | None = None,
) -> tuple[Tensor, ...]:
    """split_copy(...) -> what split gives, in memory of its own."""

def split_with_sizes(
    input: Tensor, split_sizes: Sequence[_int], dim: _int = 0, *, axis: _int | None = None
) -> tuple[Tensor, ...]:
    """split_with_sizes(input, split_sizes, dim=0) -> tuple of parts of the given sizes."""

def split_with_sizes_copy(
    input: Tensor,
    split_sizes: Sequence[_int],
    dim: _int = 0,
    *,
    out: tuple[Tensor, ...] | None = None,
    axis: _int | None = None,
) -> tuple[Tensor, ...]:
    """split_with_sizes_copy(...) -> what split_with_sizes gives, in memory of its own."""

def spmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """spmm(input, mat2) -> Tensor: torch.mm under an older name."""

def sqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """sqrt(input) -> Tensor: the square root."""

def sqrt_(input: Tensor) -> Tensor:
    """In-place form of sqrt."""

def square(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """square(input) -> Tensor: input to the power 2."""

def square_(input: Tensor) -> Tensor:
    """In-place form of square."""

def squeeze(input: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor:
    """squeeze(input, dim=None) -> Tensor: without dimensions of size 1 (all, dim, or those in a tuple of dims)."""

def squeeze_copy(input: Tensor, dim: _int | Sequence[_int] | None = None, *, out: Tensor | None = None) -> Tensor:
    """squeeze_copy(input, dim=None) -> what squeeze gives, in memory of its own."""

def sspaddmm(
    input: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    *,
    beta: Number | _complex = 1,
    alpha: Number | _complex = 1,
    out: Tensor | None = None,
) -> Tensor:
    """sspaddmm(input, mat1, mat2, *, beta=1, alpha=1) -> Tensor, sparse: beta * input + alpha * mat1 @ mat2, of COO
    tensors input and mat1 and a dense mat2.
    """

def stack(tensors: Sequence[Tensor], dim: _int = 0, *, axis: _int | None = None, out: Tensor | None = None) -> Tensor:
    """stack(tensors, dim=0) -> Tensor: side by side along a new dimension; all of one shape."""

def std(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    unbiased: _bool | None = None,
    keepdim: _bool = False,
    *,
    correction: Number | None = None,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] | None = None,
    keepdims: _bool | None = None,
) -> Tensor:
    """std(input, dim=None, *, correction=1, keepdim=False) -> Tensor: the standard deviation over dim (all dimensions when None). The divisor is the count minus correction; unbiased=True or False is the older way to say 1 or 0."""

def std_mean(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    unbiased: _bool | None = None,
    keepdim: _bool = False,
    *,
    correction: Number | None = None,
    out: tuple[Tensor, ...] | None = None,
    axis: _int | Sequence[_int] | None = None,
    keepdims: _bool | None = None,
) -> tuple[Tensor, Tensor]:
    """std_mean(input, dim=None, *, correction=1, keepdim=False) -> (standard deviation, mean) over dim (all dimensions when None). The divisor is the count minus correction; unbiased=True or False is the older way to say 1 or 0."""

def stft(
    input: Tensor,
    n_fft: _int,
    hop_length: _int | None = None,
    win_length: _int | None = None,
    window: Tensor | None = None,
    center: _bool = True,
    pad_mode: str = "reflect",
    normalized: _bool = False,
    onesided: _bool | None = None,
    return_complex: _bool | None = None,
    align_to_window: _bool | None = None,
) -> Tensor:
    """stft(input, n_fft, hop_length=n_fft // 4, win_length=n_fft, window=ones, center=True, ...) -> complex Tensor

    input (time,) or (batch, time) -> (batch, frequencies, frames): the transform of each piece of n_fft samples, times
    the window, hop_length apart. onesided: n_fft // 2 + 1 frequencies (default for real input). center: the signal is
    padded by n_fft // 2 on both sides. normalized: divided by the root of n_fft. return_complex=False: real and
    imaginary parts in a last dimension of 2. RuntimeError for sizes that do not fit.
    """

def sub(
    input: Tensor, other: Tensor | Number | _complex, *, alpha: Number | _complex = 1, out: Tensor | None = None
) -> Tensor:
    """sub(input, other, *, alpha=1) -> Tensor: input - alpha * other. RuntimeError for bools."""

def sub_(input: Tensor, other: Tensor | Number | _complex, *, alpha: Number | _complex = 1) -> Tensor:
    """In-place form of sub."""

def subtract(
    input: Tensor, other: Tensor | Number | _complex, *, alpha: Number | _complex = 1, out: Tensor | None = None
) -> Tensor:
    """sub(input, other, *, alpha=1) -> Tensor: input - alpha * other. RuntimeError for bools."""

def subtract_(input: Tensor, other: Tensor | Number | _complex, *, alpha: Number | _complex = 1) -> Tensor:
    """In-place form of sub."""

def sum(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: dtype | None = None,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] | None = None,
    keepdims: _bool | None = None,
) -> Tensor:
    """sum(input, dim=None, keepdim=False, *, dtype=None) -> Tensor: the sum over dim (all dimensions when None).

    Integers and bools add up in int64 unless dtype says otherwise; halves add up in float32.
    """

def svd(
    input: Tensor, some: _bool = True, compute_uv: _bool = True, *, out: tuple[Tensor, ...] | None = None
) -> return_types.svd:
    """svd(input, some=True, compute_uv=True) -> (U, S, V): the older form, with V instead of its adjoint."""

def svd_lowrank(
    A: Tensor, q: _int | None = 6, niter: _int | None = 2, M: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """svd_lowrank(A, q=6, niter=2, M=None) -> (U, S, V): the q largest singular values of A - M, about, and vectors.

    A random start: manual_seed makes it the same again. niter: products with A and its adjoint that sharpen it.
    """

def swapaxes(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """transpose(input, dim0, dim1) -> Tensor: two dimensions change places."""

def swapdims(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """transpose(input, dim0, dim1) -> Tensor: two dimensions change places."""

def sym_constrain_range(size: Any, *, min: Any = None, max: Any = None) -> None:
    """sym_constrain_range(size, *, min=None, max=None): RuntimeError unless min <= size <= max."""

def sym_constrain_range_for_size(size: Any, *, min: Any = None, max: Any = None) -> None:
    """sym_constrain_range_for_size(size, *, min=None, max=None): RuntimeError unless min (or 0) <= size <= max."""

def sym_float(a: Number) -> _float:
    """sym_float(a) -> float"""

def sym_fresh_size(expr: Any) -> Number:
    """sym_fresh_size(expr) -> the number itself, as long as no program is traced."""

def sym_int(a: Number) -> _int:
    """sym_int(a) -> int, cut toward 0."""

def sym_ite(b: _bool, t: Any, f: Any) -> Any:
    """sym_ite(b, t, f) -> t if b else f"""

def sym_max(a: Number, b: Number) -> Number:
    """sym_max(a, b) -> the larger number, a float if one of them is"""

def sym_min(a: Number, b: Number) -> Number:
    """sym_min(a, b) -> the smaller number, a float if one of them is"""

def sym_not(a: _bool) -> _bool:
    """sym_not(a) -> bool"""

def sym_sqrt(x: Tensor) -> Number:
    """math.sqrt of a symbolic number."""

def sym_sum(args: Sequence[Number]) -> Number:
    """sym_sum(args) -> the sum of the numbers"""

def symeig(*args: Any, **kwargs: Any) -> NoReturn:
    """symeig(): removed from torch, whose RuntimeError this is."""

def t(input: Tensor) -> Tensor:
    """t(input) -> Tensor: a matrix transposed; tensors with fewer dimensions as they are."""

def t_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """t_copy(...) -> what t gives, in memory of its own."""

def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """take(input, index) -> Tensor of index's shape: elements of input read as one long vector."""

def take_along_dim(input: Tensor, indices: Tensor, dim: _int | None = None, *, out: Tensor | None = None) -> Tensor:
    """take_along_dim(input, indices, dim=None) -> Tensor:
    gather, after input and indices have broadcast (flat for None).
    """

def tan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """tan(input) -> Tensor: the tangent of angles in radians."""

def tan_(input: Tensor) -> Tensor:
    """In-place form of tan."""

def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """tanh(input) -> Tensor: the hyperbolic tangent."""

def tanh_(input: Tensor) -> Tensor:
    """In-place form of tanh."""

def tensor(
    data: Any,
    *,
    dtype: dtype | None = None,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """tensor(data) -> Tensor: a copy of numbers, nested sequences, a numpy array or a tensor; a new leaf."""

def tensor_split(
    input: Tensor, indices_or_sections: _int | Sequence[_int] | Tensor, dim: _int = 0
) -> tuple[Tensor, ...]:
    """tensor_split(input, indices_or_sections, dim=0) -> tuple of views:
    that many nearly equal parts, or cut at the indices.
    """

def tensordot(
    a: Tensor, b: Tensor, dims: _int | Sequence[_int] | Sequence[Sequence[_int]] = 2, out: Tensor | None = None
) -> Tensor:
    """tensordot(a, b, dims=2) -> Tensor:
    products summed over dims: the last of a with the first of b, or (dims_a, dims_b).
    """

def thread_safe_generator() -> None:
    """thread_safe_generator() -> None: data is loaded in the main thread, which may use the default generator."""

def threshold(input: Tensor, threshold: Number, value: Number | _complex, inplace: _bool = False) -> Tensor:
    """threshold(input, threshold, value) -> Tensor: input where it is above threshold, else value."""

def threshold_(input: Tensor, threshold: Number, value: Number | _complex) -> Tensor:
    """In-place form of threshold."""

@overload
def tile(input: Tensor, *dims: _int) -> Tensor:
    """tile(input, dims) -> Tensor: repeat, with ones in front of too few dims."""

@overload
def tile(input: Tensor, dims: Sequence[_int]) -> Tensor: ...
def to_dlpack(tensor: Tensor) -> object:
    """to_dlpack(tensor) -> capsule over the tensor's memory."""

def topk(
    input: Tensor,
    k: _int,
    dim: _int = -1,
    largest: _bool = True,
    sorted: _bool = True,
    *,
    out: tuple[Tensor, ...] | None = None,
    axis: _int | None = None,
) -> return_types.topk:
    """topk(input, k, dim=-1, largest=True, sorted=True) -> (values, indices):
    the k largest or smallest along dim, in order.
    """

def trace(input: Tensor) -> Tensor:
    """trace(input) -> 0-dim Tensor: the sum of a matrix's diagonal."""

def transpose(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """transpose(input, dim0, dim1) -> Tensor: two dimensions change places."""

def transpose_copy(input: Tensor, dim0: _int, dim1: _int, *, out: Tensor | None = None) -> Tensor:
    """transpose_copy(...) -> what transpose gives, in memory of its own."""

def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Tensor | Number | _complex = 1, dim: _int = -1) -> Tensor:
    """trapezoid(y, x=None, *, dx=1, dim=-1) -> Tensor: the integral of samples y at points x, or dx apart."""

def trapz(y: Tensor, x: Tensor | None = None, *, dx: Tensor | Number | _complex = 1, dim: _int = -1) -> Tensor:
    """trapezoid(y, x=None, *, dx=1, dim=-1) -> Tensor: the integral of samples y at points x, or dx apart."""

def triangular_solve(
    b: Tensor,
    A: Tensor,
    upper: _bool = True,
    transpose: _bool = False,
    unitriangular: _bool = False,
    *,
    out: tuple[Tensor, ...] | None = None,
) -> return_types.triangular_solve:
    """triangular_solve(b, A, upper=True, transpose=False, unitriangular=False) -> (solution, cloned_coefficient)."""

def tril(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """tril(input, diagonal=0) -> Tensor: the lower triangle of matrices; zeros above the diagonal."""

def tril_(input: Tensor, diagonal: _int = 0) -> Tensor:
    """In-place form of tril."""

def tril_indices(
    row: _int,
    col: _int,
    offset: _int = 0,
    *,
    dtype: dtype = ...,
    device: device | str | _int | None = None,
    layout: layout = ...,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """tril_indices(row, col, offset=0) -> (2, n) Tensor: where a lower triangle is."""

def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: _float = 1.0,
    p: _float = 2.0,
    eps: _float = 1e-06,
    swap: _bool = False,
    reduction: _int = 0,
) -> Tensor:
    """triplet_margin_loss(..., reduction=0) -> Tensor: nn.functional.triplet_margin_loss with the reduction as a number."""

def triu(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """triu(input, diagonal=0) -> Tensor: the upper triangle of matrices; zeros below the diagonal."""

def triu_(input: Tensor, diagonal: _int = 0) -> Tensor:
    """In-place form of triu."""

def triu_indices(
    row: _int,
    col: _int,
    offset: _int = 0,
    *,
    dtype: dtype = ...,
    device: device | str | _int | None = None,
    layout: layout = ...,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor:
    """triu_indices(row, col, offset=0) -> (2, n) Tensor: where an upper triangle is."""

def true_divide(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor:
    """true_divide(input, other) -> Tensor: the quotient; of integers it is floating point."""

def true_divide_(input: Tensor, other: Tensor | Number | _complex) -> Tensor:
    """In-place form of div."""

def trunc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """trunc(input) -> Tensor: the integer part, towards 0."""

def trunc_(input: Tensor) -> Tensor:
    """In-place form of trunc."""

def typename(obj: Any) -> str:
    """typename(obj) -> str: `torch.FloatTensor` for a tensor, else the full name of obj's type (or of obj, if it is
    one).
    """

def unbind(input: Tensor, dim: _int = 0, *, axis: _int | None = None) -> tuple[Tensor, ...]:
    """unbind(input, dim=0) -> tuple of the slices along dim."""

def unbind_copy(
    input: Tensor, dim: _int = 0, *, out: tuple[Tensor, ...] | None = None, axis: _int | None = None
) -> tuple[Tensor, ...]:
    """unbind_copy(...) -> what unbind gives, in memory of its own."""

def unflatten(input: Tensor, dim: _int, sizes: Sequence[_int]) -> Tensor:
    """unflatten(input, dim, sizes) -> Tensor: one dimension becomes several (one of the sizes may be -1)."""

def unfold_copy(input: Tensor, dimension: _int, size: _int, step: _int, *, out: Tensor | None = None) -> Tensor:
    """unfold_copy(...) -> what unfold gives, in memory of its own."""

def unify_type_list(*args: Any, **kwargs: Any) -> NoReturn:
    """unify_type_list(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

@overload
def unique(
    input: Tensor,
    sorted: _bool = True,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    dim: _int | None = None,
) -> Tensor:
    """unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None) -> values, or a tuple.

    The distinct elements (or, with dim, slices) in ascending order; where each element is among them; how often each
    occurs.
    """

@overload
def unique(
    input: Tensor,
    sorted: _bool = True,
    *,
    return_inverse: Literal[True],
    return_counts: Literal[False] = False,
    dim: _int | None = None,
) -> tuple[Tensor, Tensor]: ...
@overload
def unique(
    input: Tensor,
    sorted: _bool = True,
    return_inverse: Literal[False] = False,
    *,
    return_counts: Literal[True],
    dim: _int | None = None,
) -> tuple[Tensor, Tensor]: ...
@overload
def unique(
    input: Tensor,
    sorted: _bool = True,
    *,
    return_inverse: Literal[True],
    return_counts: Literal[True],
    dim: _int | None = None,
) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def unique_consecutive(
    input: Tensor,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    dim: _int | None = None,
) -> Tensor:
    """unique_consecutive(input, return_inverse=False, return_counts=False, dim=None) -> values, or a tuple:
    one of each run.
    """

@overload
def unique_consecutive(
    input: Tensor, return_inverse: Literal[True], return_counts: Literal[False] = False, dim: _int | None = None
) -> tuple[Tensor, Tensor]: ...
@overload
def unique_consecutive(
    input: Tensor, return_inverse: Literal[False] = False, *, return_counts: Literal[True], dim: _int | None = None
) -> tuple[Tensor, Tensor]: ...
@overload
def unique_consecutive(
    input: Tensor, return_inverse: Literal[True], return_counts: Literal[True], dim: _int | None = None
) -> tuple[Tensor, Tensor, Tensor]: ...
def unravel_index(indices: Tensor, shape: Sequence[_int]) -> tuple[Tensor, ...]:
    """unravel_index(indices, shape) -> tuple of Tensors:
    the coordinates of flat positions in a tensor of that shape.
    """

def unsafe_chunk(input: Tensor, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]:
    """unsafe_chunk(input, chunks, dim=0) -> tuple: like chunk; the parts are not views to autograd."""

def unsafe_split(input: Tensor, split_size: _int | Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]:
    """unsafe_split(input, split_size, dim=0) -> tuple: like split; the parts are not views to autograd."""

def unsafe_split_with_sizes(
    input: Tensor, split_sizes: Sequence[_int], dim: _int = 0, *, axis: _int | None = None
) -> tuple[Tensor, ...]:
    """unsafe_split_with_sizes(input, split_sizes, dim=0) -> tuple:
    like split_with_sizes; the parts are not views to autograd.
    """

def unsqueeze(input: Tensor, dim: _int, *, axis: _int | None = None) -> Tensor:
    """unsqueeze(input, dim) -> Tensor: with a dimension of size 1 at dim."""

def unsqueeze_copy(input: Tensor, dim: _int, *, out: Tensor | None = None, axis: _int | None = None) -> Tensor:
    """unsqueeze_copy(...) -> what unsqueeze gives, in memory of its own."""

def use_deterministic_algorithms(mode: _bool, *, warn_only: _bool = False) -> None:
    """use_deterministic_algorithms(mode, *, warn_only=False): kept to be told back; every op of lucid's is
    deterministic.
    """

def values_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """values_copy(input) -> Tensor: what values gives, in memory of its own."""

def vander(x: Tensor, N: _int | None = None, increasing: _bool = False) -> Tensor:
    """vander(x, N=None, increasing=False) -> (len(x), N) Tensor: the powers N - 1 ... 0 of x, or 0 ... N - 1."""

def var(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    unbiased: _bool | None = None,
    keepdim: _bool = False,
    *,
    correction: Number | None = None,
    out: Tensor | None = None,
    axis: _int | Sequence[_int] | None = None,
    keepdims: _bool | None = None,
) -> Tensor:
    """var(input, dim=None, *, correction=1, keepdim=False) -> Tensor: the variance over dim (all dimensions when None). The divisor is the count minus correction; unbiased=True or False is the older way to say 1 or 0."""

def var_mean(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    unbiased: _bool | None = None,
    keepdim: _bool = False,
    *,
    correction: Number | None = None,
    out: tuple[Tensor, ...] | None = None,
    axis: _int | Sequence[_int] | None = None,
    keepdims: _bool | None = None,
) -> tuple[Tensor, Tensor]:
    """var_mean(input, dim=None, *, correction=1, keepdim=False) -> (variance, mean) over dim (all dimensions when None). The divisor is the count minus correction; unbiased=True or False is the older way to say 1 or 0."""

def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """vdot(input, other) -> 0-dim Tensor: dot, with the first vector conjugated."""

def view_as_complex(input: Tensor) -> Tensor:
    """view_as_complex(input) -> complex view of a real tensor whose last dimension, of size 2, holds the two parts."""

def view_as_complex_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """view_as_complex_copy(...) -> what view_as_complex gives, in memory of its own."""

def view_as_real(input: Tensor) -> Tensor:
    """view_as_real(input) -> real view of a complex tensor, with a last dimension of 2: real and imaginary part."""

def view_as_real_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """view_as_real_copy(...) -> what view_as_real gives, in memory of its own."""

def view_copy(input: Tensor, size: Sequence[_int], *, out: Tensor | None = None) -> Tensor:
    """view_copy(...) -> what view gives, in memory of its own."""

def vmap(
    func: Callable[..., Any],
    in_dims: _int | Sequence[Any] = 0,
    out_dims: _int | Sequence[Any] = 0,
    randomness: str = "error",
    *,
    chunk_size: _int | None = None,
) -> Callable[..., Any]:
    """vmap(func, in_dims=0, out_dims=0) -> function that maps func over a dimension of its tensor arguments.

    in_dims: for each argument (an int or None, nested as the arguments are) which dimension to map over; out_dims:
    where the mapped dimension goes in the results. randomness: "error", "different" or "same" draws for the members.
    """

@overload
def vsplit(input: Tensor, indices_or_sections: _int | Sequence[_int] | Tensor) -> tuple[Tensor, ...]:
    """vsplit(input, indices_or_sections) -> tuple of views, cut along one dimension (see tensor_split)."""

@overload
def vsplit(input: Tensor, *indices: _int) -> tuple[Tensor, ...]: ...
def vstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """vstack(tensors) -> Tensor: cat along dimension 0, vectors as rows."""

def wait(*args: Any, **kwargs: Any) -> NoReturn:
    """wait(...): NotImplementedError, lucid has no TorchScript, nor the types of its compiler."""

@overload
def where(
    condition: Tensor,
    input: Tensor | Number | _complex,
    other: Tensor | Number | _complex,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """where(condition, input, other) -> Tensor: input where condition is true, else other; all broadcast and promote.

    where(condition) -> the indices of true elements, one tensor a dimension.
    """

@overload
def where(condition: Tensor) -> tuple[Tensor, ...]: ...
def while_loop(cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: Any) -> Any:
    """while_loop(cond_fn, body_fn, carried_inputs): values = body_fn(*values), from carried_inputs on, while
    cond_fn(*values).

    The values are tensors and ints, in any nests; they keep their shapes and types. body_fn returns new ones, never
    those that it is given, which it does not change.
    """

def xlogy(input: Tensor | Number | _complex, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor:
    """xlogy(input, other) -> Tensor: input * log(other); 0 where input is 0."""

def xlogy_(input: Tensor, other: Tensor | Number | _complex) -> Tensor:
    """xlogy_(input, other) -> Tensor: the in-place form of xlogy."""

def zero_(input: Tensor) -> Tensor:
    """In-place form of zero."""

@overload
def zeros(
    *size: _int,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    names: list[str] | None = None,
) -> Tensor:
    """zeros(*size) -> Tensor of that shape filled with 0."""

@overload
def zeros(
    size: Sequence[_int],
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout = ...,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
    names: list[str] | None = None,
) -> Tensor: ...
def zeros_like(
    input: Tensor,
    *,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: device | str | _int | None = None,
    requires_grad: _bool = False,
    memory_format: memory_format = ...,
    pin_memory: _bool = False,
) -> Tensor:
    """zeros_like(input) -> Tensor of input's shape, type, device and memory order."""
