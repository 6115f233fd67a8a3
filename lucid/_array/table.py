"""The contract of a kernel table: what the engine asks of every vocabulary besides the words of `words.py`.

A table is the words of one element type on one device (or, inside a transform, of one level of it). Every vocabulary
derives from `Table`: numpy's, mlx's and meta's, those of jvp and vmap, C's, and the Tensors' own. What a vocabulary can
do is a class attribute here; nobody asks for a library by name.
"""

import math

from .._base.dtype import float32


class service:
    """Marks a method that the engine calls on tables: the class that declares it says what it does, and has none.

    A vocabulary defines it, or makes it in `__getattr__`; one that does neither lacks it (AttributeError).
    """

    def __init__(self, f):
        self.__doc__, self.__name__, self.of = f.__doc__, f.__name__, "all"

    def __set_name__(self, owner, name):
        SERVICES[name] = self

    def __get__(self, table, cls):
        if table is None:
            return self
        raise AttributeError(f"'{cls.__name__}' object has no attribute '{self.__name__}'")


def service_of(who):
    """A service that only some vocabularies owe: "arrays" (all but the Tensors'), "devices", "aliases" ..."""

    def mark(f):
        made = service(f)
        made.of = who
        return made

    return mark


SERVICES: dict[str, service] = {}  # name -> what it is, in the order of the class below


class Table:
    """The base of all vocabularies."""

    # ---- what it is: set on the class by each vocabulary

    backend = None  # its library's name; an op's kernel of that name (`def numpy(k, ...)`) is run in place of `forward`
    array_type = None  # the class of its arrays

    # ---- what it can do

    # False: arrays are shapes; no branch may look at a value, and nothing is ever drawn or compared. A rule that could
    # only say a shape then gives `empty(shape)`, which is no number in a compiled graph either.
    has_data = True
    host = False  # arrays are numpy arrays in this process's memory: numpy's functions take them as they are
    aliases = False  # views share memory, so a write is one copy into it; False: a write replaces the root's array
    is_batched = False  # a level of vmap
    is_transform = False  # a level of vmap or jvp: `inner` is the table of the arrays inside
    records = False  # answers with Tensors: what is said is recorded, and may be differentiated again
    is_sparse = False  # arrays may be sparse ones (or dense: words take both)
    is_text = False  # answers with program text: there is nothing to look at before it runs
    low, high, wide_low, wide_high = -math.inf, math.inf, -math.inf, math.inf  # see `dtype.limits`
    level = 0  # how deep a transform's table lies; 0: a device's
    frame = inner = None  # of a transform's table: the running transform, and the table of the arrays inside
    trace = None  # the frame of the lowest of a traced transform's levels, whose arrays are Tensors

    # ---- what it is: set on each instance. Not on the class: a name that both have is slower to read.

    is_half: bool  # floats of 16 bits or fewer: kernels and rules compute in float32, between widen and narrow
    wide_type = float32  # in which halves are computed
    has_steps = True  # halves: can arrays be computed with as they are, each step rounding?
    only_ops = None  # the ops of several words that this type has, where it has few; None: all
    empty_ops = ()  # others that it has for empty operands
    kernel_names = {}  # word or op -> torch's name of its kernel in errors, where the op does not know it
    dtype: object  # lucid's element type
    array_dtype: object  # what one of its arrays answers to `dtype`; None where arrays do not say
    device: object  # a lucid.device
    device_group: object  # the same object for all tables whose arrays may meet in one word
    inexact: bool  # floating or complex
    is_complex: bool
    bool: "Table"  # the table of bools on this device
    k: "Table"  # where `records`: the table of the Tensors' arrays
    dense: "Table"  # where `is_sparse`: that of dense arrays of this type

    # ---- tables

    @service
    def sibling(self, dtype):
        """The table of another element type on this device."""

    @service
    def of(self, array):
        """The table of an array that a word returned."""

    # ---- arrays from outside and to the outside

    @service_of("devices")
    def from_python(self, data):
        """Nested lists, numbers or an array, as a new array of this type."""

    @service_of("devices")
    def from_buffer(self, buffer, count, offset):
        """Elements read from an object with the buffer protocol."""

    @service_of("devices")
    def from_dlpack(self, other):
        """An array that another library lends, itself or by a capsule."""

    @service
    def import_from(self, array, k):
        """An array of another device's table k, in this one's memory and element type."""

    @service_of("devices")
    def to_numpy(self, array):
        """As a numpy array: shared where `host`, a copy elsewhere; NotImplementedError where there are no data."""

    @staticmethod
    def layout_of(array):
        """How an array is laid out: "strided", or torch's name of a sparse layout."""
        return "strided"

    def nbytes(self, array):
        """The bytes of all elements of an array."""
        return math.prod(array.shape) * self.dtype.itemsize

    # ---- memory and layout; strides and offsets count elements

    @service
    def strides(self, x):
        """torch's strides of x, empty arrays and dimensions of size 1 included."""

    @service_of("devices")
    def storage_offset(self, x, home=None):
        """Elements from the start of the memory x lies in (home: an array to count from) to x's first."""

    @service_of("devices")
    def storage_bytes(self, x):
        """How many bytes the memory that x lies in has."""

    def apart(self, x):
        """The same memory as an array with another owner, where there is such; x itself where there is none."""
        return x

    @service_of("devices")
    def data_ptr(self, x):
        """A number for where x's first element lies, 0 for an empty array."""

    @service_of("aliases")
    def may_overlap(self, a, b):
        """Do the stretches of memory of two arrays meet?"""

    @service
    def empty(self, shape):
        """A new array, its contents unsaid."""

    @service_of("devices")
    def empty_like(self, x):
        """The same with x's shape and memory order."""

    @service_of("devices")
    def empty_strided(self, shape, stride):
        """The same with these strides."""

    @service_of("devices")
    def with_strides(self, x, stride):
        """A copy of x laid out with these strides (None: row-major)."""

    @service_of("devices")
    def resized(self, x, shape, strides=None):
        """An array of another shape whose first elements are x's; x's own memory where it suffices. strides: in
        elements, row-major by default."""

    @service_of("aliases")
    def view(self, x, shape):
        """x's memory in another shape, or None where torch cannot view it so."""

    @service_of("devices")
    def transpose(self, x, dim0, dim1):
        """x with two dimensions exchanged, a view."""

    @service
    def broadcast_to(self, x, shape):
        """x in this shape, not to be written to: cheaper than `expand` where it can be."""

    @service_of("devices")
    def ramp(self, start, step, count):
        """start, start + step ... (count values), computed wide and rounded, as torch's arange does."""

    # ---- writing

    @service_of("aliases")
    def write(self, x, value):
        """x[...] = value, in place, cast to x's type."""

    @service_of("arrays")
    def write_view(self, base, chain, value):
        """A copy of `base` in which the view that `chain`, ((view op, options), ...), takes of it holds `value`."""

    @service_of("devices")
    def place(self, x, indices, values, add=False):
        """x[indices] = values in place (add: += with repeated places adding up)."""

    # ---- what one answer cannot be given for

    def need_unbatched(self, x, name, how="dynamic"):
        """RuntimeError where x is a batch of vmap, of which the function `name` would give each member another answer.

        how: why torch refuses: "dynamic" (results of several shapes), "fallback" or "unsupported".
        """

    # ---- sparse arrays: tables with `is_sparse`, whose words take dense arrays, too

    @service_of("sparse")
    def to_dense(self, x):
        """Any array as a dense one."""

    @service_of("sparse")
    def coalesce(self, x):
        """A COO array with its places in order, values of one place added up; others as they are."""

    @service_of("sparse")
    def to_layout(self, x, layout, sparse_dim=None, dense_dim=0):
        """Any array in the layout of that name."""

    @service_of("sparse")
    def in_layout_of(self, g, x):
        """The elements of g in x's layout."""

    @service_of("sparse")
    def in_order(self, x):
        """Are a COO array's places in order, none of them twice?"""

    @service_of("sparse")
    def empty_of(self, shape, layout="sparse_coo", sparse_dim=None, index=None):
        """An array in which no place is named."""

    @service_of("sparse")
    def zeros_like(self, x):
        """Zeros in x's shape and layout."""

    @service_of("sparse")
    def filled(self, x, value):
        """The places of a compressed array with one value in all of them."""

    @service_of("sparse")
    def of_values(self, name, x, f):
        """f of a COO array's values, added up first, for a function that keeps zero."""

    @service_of("sparse")
    def sparse_mask(self, x, mask):
        """x at the places of the sparse array mask, in its layout."""

    @service_of("sparse")
    def masked_form(self, x, mask):
        """The gradient x of what was masked: a place that mask names twice counts twice."""

    @service_of("sparse")
    def sparse_like(self, g, x):
        """The gradient g at the places of the sparse array x, each counted once."""

    @service_of("sparse")
    def kept_at(self, x, mask):
        """A sparse matrix with zeros at places that mask does not name."""

    @service_of("sparse")
    def values_at(self, x, indices):
        """What x holds at COO indices, zero where it names none."""

    @service_of("sparse")
    def compressed_values(self, x, compressed, plain, shape, layout):
        """The same at compressed places."""

    @service_of("sparse")
    def values_of(self, x):
        """The values of a sparse array, those of one place added up."""

    @service_of("sparse")
    def placed_like(self, values, x):
        """Other values at x's places."""

    @service_of("sparse")
    def rows_of(self, g, rows, shape):
        """A COO matrix of rows g, whose numbers are `rows`."""

    @service_of("sparse")
    def part_along(self, x, dim, start, length):
        """The places between start and start + length, counted from start."""

    @service_of("sparse")
    def sum_over(self, x, dims, keepdim=False):
        """The sum over some dimensions, sparse where a sparse dimension is left."""

    @service_of("sparse")
    def sparse_sum_backward(self, g, x, dims):
        """Its gradient, at x's places."""

    @service_of("sparse")
    def sparse_softmax(self, x, dim, is_log=False):
        """softmax over the elements that are there."""

    @service_of("sparse")
    def sparse_softmax_backward(self, g, out, dim, is_log=False):
        """Its gradient, at out's places."""

    @service_of("sparse")
    def product_at(self, a, b, like):
        """a @ b of dense matrices at the places of a sparse one."""

    @service_of("sparse")
    def sampled_product(self, a, b, like):
        """The same, under the name of its op."""

    @service_of("sparse")
    def reduced_product(self, x, dense, reduce):
        """A product whose terms come together in another way than by a sum."""

    @service_of("sparse")
    def reduced_product_backward(self, g, x, dense, reduce, first):
        """Its gradients."""

    @service_of("sparse")
    def taken_over(self, x):
        """A gradient that nobody else holds, as a leaf keeps it."""

    @service_of("sparse")
    def to_store(self, name, operands, d, x):
        """What a write of the result d leaves in a tensor that holds x."""

    @service_of("sparse")
    def replaces(self, name, x):
        """Does an in-place form of that name leave what shares x as it was?"""

    @service_of("sparse")
    def check_inplace(self, name, x):
        """torch's error for an in-place form that needs a coalesced array."""

    # ---- halves: tables with `is_half`

    def wide_scalar(self, value):
        """A number as an operand that is not rounded to this type (see `Operation.wide_numbers`)."""
        return self.scalar(value)

    def widen(self, value):
        """An array of this type in float32, inside tuples and lists too; anything else as it is."""
        if isinstance(value, self.array_type):
            return self.cast(value, float32) if self.of(value).dtype is self.dtype else value
        if value.__class__ is tuple or value.__class__ is list:
            return value.__class__([self.widen(v) for v in value])
        return value

    def narrow(self, value):
        """A float32 array back in this type, each element rounded once; inside tuples too; anything else as it is."""
        if isinstance(value, self.array_type):
            return self.cast(value, self.dtype) if self.of(value).dtype is float32 else value
        return tuple([self.narrow(v) for v in value]) if isinstance(value, tuple) else value

    # ---- levels of vmap and jvp: tables with `is_transform`, `inner`, `frame` and `level`

    @service_of("transforms")
    def merged(self, tables):
        """The table in which values of all these can meet."""

    @service_of("transforms")
    def adopt(self, t, like=None):
        """t, a Tensor of a shallower table, in this one (of its own element type); with the batches of `like`."""

    @service_of("transforms")
    def settled(self, x, t):
        """x as an array that may be written into the Tensor t; RuntimeError where t cannot hold what it carries."""

    @service_of("transforms")
    def beside(self, x, like):
        """x with the batches that the array `like` of this level has."""

    @service_of("transforms")
    def constant(self, array):
        """An inner array as one of this level: the same for all members, without a tangent."""

    @service_of("transforms")
    def constant_gradient(self, g):
        """What flows back to an inner array that was made a `constant`."""

    @service_of("transforms")
    def through(self, array, f):
        """f applied below this level."""

    @service_of("transforms")
    def opened(self, arrays):
        """([inner arrays that carry all levels below], a function that makes one of this level again)."""

    @service_of("transforms")
    def detached(self, x, limit=None):
        """x without what forward mode carries along, at levels up to `limit`."""

    @service_of("transforms")
    def refuse_out(self, x, name):
        """The error of the op `name` with out=, of which x is an operand."""

    @service_of("transforms")
    def drawn_like(self, x, draw):
        """Random numbers in x's shape and order in memory: draw(table, inner array) gives them."""

    @service_of("transforms")
    def drawn(self, shape, draw):
        """Random numbers: draw(table, shape) gives them."""

    @service_of("transforms")
    def drawn_by(self, arrays):
        """(inner arrays that one draw takes in place of these, a function that closes its result)."""


class TransformArray:
    """The base of arrays of transforms: what the engine asks of them besides the words."""

    __slots__ = ()
    __array_ufunc__ = None  # numpy scalars leave operators to us
    base = None  # they own no memory

    under = None  # the inner array

    def takes_in(self, tensor):
        """Make `tensor`, from outside, one of the transform, if that is what a write of this into it does there."""
        return False

    plain = (
        None  # the array that a write into a tensor from outside the transform keeps; RuntimeError where there is none
    )


def owner(array):
    """The array that owns the memory behind `array`: all views of one memory have the same one."""
    kind = array.__class__
    while isinstance(base := array.base, kind):
        array = base
    return array


__all__ = ["SERVICES", "Table", "TransformArray", "owner", "service", "service_of"]
