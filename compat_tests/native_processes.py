"""Helpers of the tests of native kernels: another Python process, a forked child."""

import os
import signal
import subprocess
import sys
import textwrap
import time


def in_child(function):
    """The exit code of a forked child that runs this; killed when it hangs."""
    pid = os.fork()
    if not pid:
        try:
            os._exit(0 if function() else 1)
        finally:
            os._exit(2)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return "hung"


def run(text, **how):
    """A Python process that runs this text."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    how["env"] = dict(
        how.get("env", os.environ), PYTHONPATH=os.pathsep.join([root, os.path.join(root, "compat_tests")])
    )
    command = [sys.executable, "-c", textwrap.dedent(text)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=root, check=False, **how)
