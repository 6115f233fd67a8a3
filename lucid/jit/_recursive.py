"""torch.jit._recursive: parts of a compiler that lucid does not have."""

from .._base.refused import refuse

globals().update(
    refuse(
        "torch.jit._recursive",
        "wrap_cpp_module create_script_module infer_methods_to_compile concrete_type_store ConcreteTypeStore",
        "TorchScript",
    )
)
