"""torch.distributed.checkpoint.hf_storage: checkpoints of several processes in safetensors files; not in lucid."""

from ..._base.refused import refuse as _refuse

globals().update(
    _refuse(
        "torch.distributed.checkpoint.hf_storage",
        "HuggingFaceStorageReader HuggingFaceStorageWriter",
        "checkpoints in torch.distributed's form; safetensors.torch.save_file keeps all of one process",
    )
)
