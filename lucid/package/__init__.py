"""torch.package: archives of code and models, which lucid does not have."""

from .._base.refused import refuse

globals().update(
    refuse(
        "torch.package",
        """PackageExporter PackageImporter Importer OrderedImporter Directory GlobGroup ObjNotFoundError
        ObjMismatchError""",
        "archives of code",
    )
)


class EmptyMatchError(Exception):
    """A pattern that nothing matched; lucid never raises it."""


class PackagingError(Exception):
    """An archive that could not be written; lucid never raises it."""


def is_from_package(obj):
    """is_from_package(obj) -> False: there are no packages."""
    return False


class _SysImporter:
    """sys_importer: python's own imports"""

    def import_module(self, name):
        """import_module(name) -> module"""
        import importlib

        return importlib.import_module(name)


sys_importer = _SysImporter()
