"""torch.distributed.checkpoint.format_utils: checkpoints made of files of torch.save, and conversely."""

from ...serialization import load as load_file
from ...serialization import save as save_file
from ._nested import put
from .filesystem import FileSystemReader
from .metadata import MetadataIndex, TensorStorageMetadata
from .state_dict_saver import save

__all__ = ["dcp_to_torch_save", "torch_save_to_dcp"]


def dcp_to_torch_save(dcp_checkpoint_dir, torch_save_path):
    """dcp_to_torch_save(directory, path): the whole checkpoint as one file of torch.save."""
    reader = FileSystemReader(dcp_checkpoint_dir)
    metadata, state = reader.read_metadata(), {}
    for name, noted in metadata.state_dict_metadata.items():
        is_tensor = isinstance(noted, TensorStorageMetadata)
        if is_tensor and len(noted.chunks) != 1:
            raise NotImplementedError(f"dcp_to_torch_save: lucid has no tensors of several processes, as {name} is")
        index = MetadataIndex(name, noted.chunks[0].offsets) if is_tensor else MetadataIndex(name)
        put(state, metadata.planner_data[name], reader._read(metadata, index, is_tensor))
    save_file(state, torch_save_path)


def torch_save_to_dcp(torch_save_path, dcp_checkpoint_dir):
    """torch_save_to_dcp(path, directory): a file of torch.save as a checkpoint."""
    save(load_file(torch_save_path, weights_only=False), checkpoint_id=dcp_checkpoint_dir)
