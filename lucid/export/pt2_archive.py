"""torch.export.pt2_archive: files of exported programs, which lucid does not have."""

from .._base.refused import refuse

globals().update(
    refuse(
        "torch.export.pt2_archive", "PT2ArchiveWriter PT2ArchiveReader is_pt2_package", "export of whole programs yet"
    )
)
