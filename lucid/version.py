"""torch.version: which torch this is for the programs that ask, and which lucid."""

__all__ = ["__version__", "debug", "cuda", "git_version", "hip", "rocm", "xpu"]

__version__ = "2.13.0+lucid"  # the release of torch whose behaviour lucid has
lucid = "0.1.0"  # lucid's own release
debug = False
cuda = hip = rocm = xpu = None
git_version = "lucid"
