"""torch._vendor.packaging: the package `packaging`, if it is installed."""
