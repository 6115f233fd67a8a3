"""The table of ATen ops that are written here, filled by the files that compute them."""

KERNELS: dict = {}  # "name.overload", or "name" for all overloads -> function of all arguments


def kernel(*names):
    """A decorator: the function computes these overloads."""

    def put(f):
        for name in names:
            KERNELS[name] = f
        return f

    return put
