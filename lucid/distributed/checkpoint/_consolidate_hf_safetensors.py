"""torch.distributed.checkpoint._consolidate_hf_safetensors: several processes' files made one; not in lucid."""

from ..._base.refused import refuse as _refuse

globals().update(
    _refuse(
        "torch.distributed.checkpoint",
        "consolidate_safetensors_files consolidate_safetensors_files_on_every_rank",
        "checkpoints in torch.distributed's form",
    )
)
