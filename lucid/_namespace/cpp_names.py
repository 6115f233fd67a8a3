"""Names of torch's C++ half that `torch.*` shows: types of the TorchScript compiler and its kin, which lucid does not
have. They can be named, and raise when they are used."""

from .._base.errors import JITException
from .._base.refused import refuse

NAMES = refuse(
    "torch",
    """AliasDb AnyType Argument ArgumentSpec AwaitType BenchmarkConfig BenchmarkExecutionStats Block
    BoolType BufferDict CallStack Capsule ClassType Code CompilationUnit CompleteArgumentSpec ComplexType
    ConcreteModuleType ConcreteModuleTypeBuilder DeepCopyMemoTable DeserializationStorageContext DeviceObjType DictType
    EnumType ErrorReport ExecutionPlan FloatType FunctionSchema FutureType Gradient Graph GraphExecutorState
    IODescriptor InferredType IntType InterfaceType ListType LiteScriptModule LockingLogger LoggerBase ModuleDict Node
    NoneType NoopLogger NumberType OperatorInfo OptionalType ParameterDict PyObjectType
    PyTorchFileWriter RRefType ScriptClass ScriptClassFunction ScriptDict ScriptDictIterator ScriptDictKeyIterator
    ScriptFunction ScriptList ScriptListIterator ScriptMethod ScriptModule ScriptModuleSerializer ScriptObject
    ScriptObjectProperty SerializationStorageContext StaticModule StreamObjType StringType SymBoolType SymIntType
    TensorType ThroughputBenchmark TracingState TupleType Type UnionType Use Value fork import_ir_module
    import_ir_module_from_buffer merge_type_from_type_comment parse_ir parse_schema parse_type_comment unify_type_list
    wait""",
    "TorchScript, nor the types of its compiler",
)


class FatalError(Exception):
    """An error in C++ code; lucid never raises it."""


NAMES |= {"FatalError": FatalError, "JITException": JITException}
