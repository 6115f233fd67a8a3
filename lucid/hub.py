"""torch.hub: weights and models fetched from the network, or from the cache where they were fetched before."""

import hashlib
import importlib.util
import os
import re
import shutil
import sys
import tempfile
import warnings
import zipfile
from urllib.error import HTTPError, URLError
from urllib.parse import urlparse
from urllib.request import Request, urlopen

from ._serial.files import load as _load

__all__ = ["download_url_to_file", "get_dir", "help", "list", "load", "load_state_dict_from_url", "set_dir"]

HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
ENV_GITHUB_TOKEN, MODULE_HUBCONF, VAR_DEPENDENCY = "GITHUB_TOKEN", "hubconf.py", "dependencies"
READ_DATA_CHUNK = 128 * 1024
ENV_TORCH_HOME, ENV_XDG_CACHE_HOME, DEFAULT_CACHE_DIR = "TORCH_HOME", "XDG_CACHE_HOME", "~/.cache"
_settings = {}


def _get_torch_home():
    """The folder of what torch keeps on disk: $TORCH_HOME, $XDG_CACHE_HOME/torch or ~/.cache/torch."""
    cache = os.getenv(ENV_XDG_CACHE_HOME, DEFAULT_CACHE_DIR)
    return os.path.expanduser(os.getenv(ENV_TORCH_HOME, os.path.join(cache, "torch")))


def get_dir():
    """get_dir() -> str: the folder for downloads, which holds `checkpoints`."""
    return _settings.get("dir") or os.path.join(_get_torch_home(), "hub")


def set_dir(d):
    """set_dir(path): the folder for downloads."""
    _settings["dir"] = os.path.expanduser(d)


# ---- files


def download_url_to_file(url, dst, hash_prefix=None, progress=True):
    """download_url_to_file(url, dst, hash_prefix=None, progress=True): fetch a file; nothing is left at dst unless it
    is whole.

    hash_prefix: what its SHA-256 must begin with (RuntimeError otherwise).
    """
    dst = os.path.expanduser(dst)
    sha = hashlib.sha256() if hash_prefix else None
    part = tempfile.NamedTemporaryFile(
        dir=os.path.dirname(os.path.abspath(dst)), prefix=os.path.basename(dst) + ".", suffix=".partial", delete=False
    )
    try:
        with part, urlopen(Request(url, headers={"User-Agent": "torch.hub"})) as source:
            total, done = int(source.headers.get("Content-Length") or 0), 0
            while chunk := source.read(READ_DATA_CHUNK):
                part.write(chunk)
                done += len(chunk)
                if sha is not None:
                    sha.update(chunk)
                if progress and total and sys.stderr.isatty():
                    sys.stderr.write(f"\r{100 * done / total:.1f}%")
                    sys.stderr.flush()
        if progress and sys.stderr.isatty():
            sys.stderr.write("\n")
        if sha is not None and sha.hexdigest()[: len(hash_prefix)] != hash_prefix:
            raise RuntimeError(f'invalid hash value (expected "{hash_prefix}", got "{sha.hexdigest()}")')
        shutil.move(part.name, dst)
    except HTTPError:
        raise
    except URLError as error:
        raise URLError(f"{error.reason} (while fetching {url}; lucid found no copy of it in {get_dir()})") from None
    finally:
        if os.path.exists(part.name):
            os.remove(part.name)


_download_url_to_file = download_url_to_file


def load_state_dict_from_url(
    url, model_dir=None, map_location=None, progress=True, check_hash=False, file_name=None, weights_only=False
):
    """load_state_dict_from_url(url): the object in a file that is fetched once and kept in model_dir
    (get_dir()/checkpoints).

    check_hash: the file's name ends in `-<start of its SHA-256>.ext`, which is checked.
    """
    model_dir = model_dir or os.path.join(get_dir(), "checkpoints")
    os.makedirs(model_dir, exist_ok=True)
    name = file_name or os.path.basename(urlparse(url).path)
    cached = os.path.join(model_dir, name)
    if not os.path.exists(cached):
        sys.stderr.write(f'Downloading: "{url}" to {cached}\n')
        match = HASH_REGEX.search(name) if check_hash else None
        download_url_to_file(url, cached, match.group(1) if match else None, progress=progress)
    if _is_old_zip(cached):
        warnings.warn(
            "Falling back to the old format < 1.6. This support will be deprecated in favor of default zipfile "
            "format introduced in 1.6. Please redo torch.save() to save it in the new zipfile format.",
            stacklevel=2,
        )
        with zipfile.ZipFile(cached) as archive:
            archive.extractall(model_dir)
            cached = os.path.join(model_dir, archive.infolist()[0].filename)
    return _load(cached, map_location=map_location, weights_only=weights_only)


def _is_old_zip(path):
    """A zip that was made around one saved file, as torch.hub once did."""
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return len(archive.infolist()) == 1


# ---- repositories with a hubconf.py


def _parse(github):
    """(owner, name, ref or None) of "owner/name[:ref]"."""
    repo, _, ref = github.partition(":")
    parts = repo.split("/")
    if len(parts) != 2:
        raise ValueError(f"expected a repository as 'owner/name[:ref]', got '{github}'")
    return parts[0], parts[1], ref or None


def _fetch_repo(github, force_reload, verbose, skip_validation=False):
    owner, name, ref = _parse(github)
    for candidate in (ref,) if ref else ("main", "master"):
        folder = os.path.join(get_dir(), "_".join((owner, name, candidate.replace("/", "_"))))
        if os.path.isdir(folder) and not force_reload:
            if verbose:
                sys.stderr.write(f"Using cache found in {folder}\n")
            return folder
    os.makedirs(get_dir(), exist_ok=True)
    for candidate in (ref,) if ref else ("main", "master"):
        packed = os.path.join(get_dir(), f"{candidate.replace('/', '_')}.zip")
        try:
            download_url_to_file(f"https://github.com/{owner}/{name}/zipball/{candidate}", packed, progress=False)
        except HTTPError as error:
            if error.code == 404 and candidate == "main" and not ref:
                continue
            raise
        folder = os.path.join(get_dir(), "_".join((owner, name, candidate.replace("/", "_"))))
        with zipfile.ZipFile(packed) as archive:
            top = archive.infolist()[0].filename.split("/")[0]
            archive.extractall(get_dir())
        os.remove(packed)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.move(os.path.join(get_dir(), top), folder)
        return folder
    raise ValueError(f"Cannot find {ref or 'main'} in https://github.com/{owner}/{name}.")


def _hubconf(repo_or_dir, source, force_reload=False, verbose=True, skip_validation=False):
    source = source.lower()
    if source not in ("github", "local"):
        raise ValueError(f'Unknown source: "{source}". Allowed values: "github" | "local".')
    folder = repo_or_dir if source == "local" else _fetch_repo(repo_or_dir, force_reload, verbose)
    spec = importlib.util.spec_from_file_location("hubconf", os.path.join(folder, MODULE_HUBCONF))
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(folder)
    missing = [p for p in getattr(module, VAR_DEPENDENCY, ()) if p != "torch" and importlib.util.find_spec(p) is None]
    if missing:
        raise RuntimeError(f"Missing dependencies: {', '.join(missing)}")
    return module


def _entry(module, name):
    found = getattr(module, name, None)
    if found is None or not callable(found):
        raise RuntimeError(f"Cannot find callable {name} in hubconf")
    return found


def load(
    repo_or_dir,
    model,
    *args,
    source="github",
    trust_repo=None,
    force_reload=False,
    verbose=True,
    skip_validation=False,
    **kwargs,
):
    """load("owner/repo[:ref]" or a folder, model, *args): what the function `model` of its hubconf.py returns.

    source: "github" or "local". The repository's code is run: use those you trust.
    """
    return _entry(_hubconf(repo_or_dir, source, force_reload, verbose, skip_validation), model)(*args, **kwargs)


def list(github, force_reload=False, skip_validation=False, trust_repo=None, verbose=True):
    """list("owner/repo[:ref]") -> names of the functions of its hubconf.py."""
    module = _hubconf(github, "github", force_reload, verbose, skip_validation)
    return [n for n in dir(module) if callable(getattr(module, n)) and not n.startswith("_")]


def help(github, model, force_reload=False, skip_validation=False, trust_repo=None):
    """help("owner/repo[:ref]", model) -> the function's docstring."""
    return _entry(_hubconf(github, "github", force_reload, True, skip_validation), model).__doc__


try:  # as in torch: the progress bar, where it is installed
    from tqdm import tqdm
except ImportError:

    class tqdm:
        """tqdm(iterable=None, total=None, ...): an iterable without a progress bar."""

        def __init__(self, iterable=None, total=None, disable=False, unit=None, *args, **kwargs):
            self.iterable, self.total, self.n = iterable, total, 0

        def __iter__(self):
            return iter(self.iterable)

        def update(self, n):
            """update(n): n more are done."""
            self.n += n

        def set_description(self, *args, **kwargs):
            """set_description(text): not shown."""

        def close(self):
            """close(): nothing to close."""

        def __enter__(self):
            return self

        def __exit__(self, *exc):
            self.close()
