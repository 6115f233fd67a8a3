"""torch._inductor.config: all names that torch has (settings.txt). AttributeError for others.

Those that mean something here:

    max_autotune, max_autotune_pointwise, coordinate_descent_tuning    kernels are timed in several forms
    cpu_backend                                                        "cpp" (compiled; numpy where there is no
                                                                       compiler) or "numpy"
    fx_graph_cache, force_disable_caches                               compiled graphs are kept on disk, or nothing is
    triton.cudagraphs                                                  memory inside a graph is kept between calls
    fallback_by_default                                                the engine runs every op
    pre_grad_custom_pass, joint_custom_{pre,post}_pass, post_grad_custom_{pre,post}_pass, custom_partitioner_fn
    trace.enabled (TORCH_COMPILE_DEBUG=1), trace.debug_dir             every stage's text goes to a folder

Random numbers are eager's (as with fallback_random), and results do not depend on the number of threads.
"""

import ast
import os
import pathlib

from .._base.settings import become_settings

_TEXT = pathlib.Path(__file__).with_name("settings.txt")


def _read():
    """({name: default}, names whose values may be of any type, names that stay None) of settings.txt."""
    defaults, loose, empty, section, kind = {}, set(), set(), "", ""
    for line in _TEXT.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        if line.startswith("["):
            section = line.strip("[]") + "." * (len(line) > 2)
            continue
        if not line.startswith(" "):
            kind, line = line.split(":", 1)
        for word in line.split():
            name, _, value = word.partition("=")
            name = section + name
            defaults[name] = ast.literal_eval(value) if value else {"False": False, "True": True}.get(kind)
            if kind in ("None", "loose"):
                loose.add(name)
            elif kind == "NoneType":
                empty.add(name)
    return defaults, loose, empty


_DEFAULTS, LOOSE, _EMPTY = _read()
_DEFAULTS["trace.enabled"] = os.environ.get("TORCH_COMPILE_DEBUG", "0") == "1"
_DEFAULTS["max_autotune"] = os.environ.get("TORCHINDUCTOR_MAX_AUTOTUNE", "0") == "1"
_DEFAULTS["fx_graph_cache"] = os.environ.get("TORCHINDUCTOR_FX_GRAPH_CACHE", "1") == "1"
become_settings(__name__, _DEFAULTS, {"force_disable_caches": ("lucid.compiler.config", "force_disable_caches")})


def checked_options(options):
    """{name: value} of options for torch.compile; RuntimeError for names and types that are not the settings'."""
    found = {}
    for key, value in options.items():
        name = key.replace("-", "_")
        if name not in _DEFAULTS:
            raise RuntimeError(f"Unexpected optimization option {key}, known options are {list(_DEFAULTS)}")
        if name not in LOOSE and not isinstance(value, type(_DEFAULTS[name])):
            kinds = type(value).__name__, type(_DEFAULTS[name]).__name__
            raise RuntimeError(f"Unexpected type of attr {key}, got {kinds[0]} should be {kinds[1]}")
        found[name] = value
    return found
