"""torch.utils.collect_env: what this installation is, as text."""

from .. import __config__
from ..torch_version import __version__


def get_pretty_env_info():
    """get_pretty_env_info() -> str"""
    return (
        f"PyTorch version: {__version__}\nIs debug build: False\nCUDA used to build PyTorch: None\n\n"
        f"{__config__.show()}"
    )


def main():
    """Print it."""
    print(get_pretty_env_info())


if __name__ == "__main__":
    main()
