"""torch.utils.collect_env: what this installation is, as text."""

import platform
import subprocess

from .. import __config__
from ..torch_version import __version__


def run(command):
    """run(command) -> (return code, output, errors)"""
    done = subprocess.run(command, shell=isinstance(command, str), capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.strip(), done.stderr.strip()


def run_and_read_all(run_lambda, command):
    """run_and_read_all(run, command) -> its output, None if it fails"""
    code, out, _ = run_lambda(command)
    return None if code else out


def get_gcc_version(run_lambda):
    """get_gcc_version(run) -> str, or None without gcc"""
    out = run_and_read_all(run_lambda, "gcc --version")
    return out.split("\n")[0] if out else None


def get_cpu_info(run_lambda):
    """get_cpu_info(run) -> str: what lscpu says, or the processor's name"""
    return run_and_read_all(run_lambda, "lscpu") or platform.processor()


def get_os(run_lambda):
    """get_os(run) -> str"""
    return platform.platform()


def get_gpu_info(run_lambda):
    """get_gpu_info(run) -> None: lucid computes on none"""


get_nvidia_driver_version = get_running_cuda_version = get_cudnn_version = get_gpu_info


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
