"""Write lucid/_backend/signatures.txt: what the functions of torch that are written in C take, as data.

    python scripts/signatures.py [--check]      (needs torch and pyyaml; torch's own generator, torchgen, is asked)

One line is one overload, in the order in which torch tries them, in the language of torch's argument parser:
`torch.softmax(Tensor input, int64_t dim, ScalarType? dtype=None)`. A function is named by its place: `torch`, `Tensor`,
`linalg`, `special`, `fft` or `F` (nn.functional; of its functions in Python the parameters that they hand on to C). A
line that ends in `|deprecated` is an old order of arguments, which torch still takes.
"""

import inspect
import pathlib
import re
import sys

import torch
import torch.nn.functional as F
import torchgen
import torchgen.packaged.autograd as packaged
from torchgen.gen import parse_native_yaml
from torchgen.packaged.autograd import gen_python_functions as generator

ROOT = pathlib.Path(__file__).resolve().parents[1]
TARGET = ROOT / "lucid" / "_backend" / "signatures.txt"
PLACES = {
    "Tensor": (generator.is_py_variable_method, torch.Tensor),
    "torch": (generator.is_py_torch_function, torch),
    "nn": (generator.is_py_nn_function, torch._C._nn),
    "linalg": (generator.is_py_linalg_function, torch._C._linalg),
    "special": (generator.is_py_special_function, torch._C._special),
    "fft": (generator.is_py_fft_function, torch._C._fft),
}
# Functions that torch binds by hand; those of Tensor are in the generator's template.
_FROM = "Device? device=None, bool requires_grad=False"
_HOW = "Layout layout=torch.strided, Device device=None, bool requires_grad=False"
_FILLED = "Layout? layout=None, Device? device=None, bool? pin_memory=False, bool? requires_grad=False"
_NEW = "ScalarType dtype=None, Device? device=None, bool pin_memory=False, bool requires_grad=False"
_RANDOM = "Generator? generator=None, Tensor out=None, ScalarType? dtype=None"
BY_HAND = f"""
torch.as_tensor(PyObject* data, *, ScalarType dtype=None, {_FROM})
torch.tensor(PyObject* data, *, {_NEW}, DimnameList? names=None)
torch.asarray(PyObject* obj, *, ScalarType? dtype=None, Device? device=None, bool? copy=None, bool requires_grad=False)
torch.frombuffer(PyObject* buffer, *, ScalarType dtype, int64_t count=-1, int64_t offset=0, bool requires_grad=False)
torch.range(Scalar start, Scalar end, Scalar step=1, *, Tensor out=None, ScalarType dtype=None, {_HOW})
torch.nonzero(Tensor input, *, bool as_tuple=False, Tensor out=None)
torch.numel(Tensor input)
torch.get_device(Tensor input)
torch.full(SymIntArrayRef size, Scalar fill_value, *, Tensor out=None, ScalarType? dtype=None, {_FILLED})
torch.randint(SymInt high, SymIntArrayRef size, *, {_RANDOM}, {_FILLED})
torch.randint(SymInt low, SymInt high, SymIntArrayRef size, *, {_RANDOM}, {_FILLED})
Tensor.new_tensor(PyObject* data, *, ScalarType dtype=None, {_FROM}, DimnameList? names=None)
"""


def generated():
    """(place, line) of every overload that torch's generator makes a binding of."""
    folder = pathlib.Path(torchgen.__file__).parent / "packaged" / "ATen" / "native"
    old = pathlib.Path(inspect.getfile(packaged)).parent / "deprecated.yaml"
    parsed = parse_native_yaml(str(folder / "native_functions.yaml"), str(folder / "tags.yaml"))
    natives = list(filter(generator.should_generate_py_binding, parsed.native_functions))
    for place, (belongs, module) in PLACES.items():
        pairs = generator.load_signatures(natives, str(old), method=place == "Tensor")
        by_name = {}
        for pair in pairs:
            if belongs(pair.function):
                by_name.setdefault(str(pair.function.func.name.name), []).append(pair)
        for name, overloads in by_name.items():
            for group in generator.group_overloads(overloads):
                yield place, group.signature.signature_str(skip_outputs=not group.outplace)


def by_hand():
    """The same of those that are written by hand."""
    template = pathlib.Path(inspect.getfile(packaged)).parent / "templates" / "python_variable_methods.cpp"
    for parser in re.findall(r"PythonArgParser parser\(\{(.*?)\}", template.read_text(), re.S):
        for line in re.findall(r'"([^"]*)"', parser):
            yield "Tensor", line
    for line in BY_HAND.strip().splitlines():
        place, _, rest = line.partition(".")
        yield place, rest


# Parameters of functions in Python that are looked at there first, or replaced.
LOOKED_AT = {
    **{
        f"adaptive_{kind}_pool{n}d{tail}.output_size": "PyObject*"
        for kind in ("avg", "max")
        for n in (2, 3)
        for tail in ("", "_with_indices")
    },
    "dropout.p": "PyObject*",
    **dict.fromkeys(("ctc_loss.input_lengths", "ctc_loss.target_lengths"), "PyObject*"),
    **dict.fromkeys("alpha_dropout.p feature_alpha_dropout.p".split(), "PyObject*"),
    **dict.fromkeys("batch_norm.running_mean batch_norm.running_var".split(), "Tensor?"),
}


def functional(lines):
    """The lines of nn.functional: of its C functions, and of those in Python that call a C function of their name."""
    for name in list(vars(F)):
        f = getattr(F, name)
        if name.startswith(("_", "assert_")) or not inspect.isroutine(f):
            continue
        overloads = lines.get(("nn", getattr(f, "__name__", name))) or lines.get(("torch", name), [])
        if inspect.isbuiltin(f):
            yield ("F", name), ["F" + line[line.index(".") :] for line in overloads]
        elif getattr(f, "__module__", None) in ("torch.nn.functional", "torch._jit_internal"):
            yield ("F", name), [f"F.{name}({handed_on(name, f, getattr(F, '_' + name, f), overloads)})"]


def handed_on(name, f, plain, overloads):
    """The parameters of a function in Python, of the kinds that the C function of its name wants.

    plain: what has its parameters, where f chooses among two functions.
    """
    kinds = {}
    for line in overloads[:1]:
        for part in line[line.index("(") + 1 :].rstrip(")").split(", "):
            kind, _, rest = part.partition(" ")
            kinds[rest.partition("=")[0]] = kind
    parts, keyword_only = [], False
    parameters = list(inspect.signature(plain).parameters.values())
    for i, p in enumerate(parameters):
        if p.kind is p.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            parts.append("*")
        tensor = p.annotation in (torch.Tensor, "Tensor", torch.Tensor | None) or kinds.get(p.name) == "Tensor"
        kind = kinds.get(p.name, "PyObject*")
        if tensor:
            kind = "Tensor" if refused(f, parameters, i) else "AnyTensor"
        elif isinstance(p.default, str):
            kind = "PyObject*"
        kind = LOOKED_AT.get(f"{name}.{p.name}", kind)
        if p.default is None and not kind.endswith("?"):
            kind += "?"
        parts.append(f"{kind} {p.name}" + ("" if p.default is p.empty else f"={p.default}"))
    return ", ".join(parts)


def refused(f, parameters, i):
    """Does f raise TypeError for a number and for an object that is no tensor, as its i-th argument?"""
    ones = [torch.ones(2, 2) if p.default is p.empty else p.default for p in parameters]
    return all(
        _type_error(f, {p.name: x for p, x in zip(parameters, ones)} | {parameters[i].name: no_tensor})
        for no_tensor in (object(), 1.0)
    )


def _type_error(f, given):
    try:
        f(**given)
    except TypeError:
        return True
    except Exception:
        return False
    return False


def public(place, name):
    """Is it a name for users, in this build of torch, and of a function in C?"""
    f = getattr(PLACES[place][1], name, None)
    in_c = inspect.isbuiltin(f) or inspect.ismethoddescriptor(f)
    return in_c and (not name.startswith("_") or name.endswith("__"))


def table():
    """The file's text."""
    lines = {}
    for source in (by_hand(), generated()):
        found = {}
        for place, text in source:
            name = text.partition("(")[0]
            if public(place, name):
                found.setdefault((place, name), []).append(f"{place}.{short(text)}")
        lines |= {key: overloads for key, overloads in found.items() if key not in lines}
    lines |= dict(functional(lines))
    lines = {key: overloads for key, overloads in lines.items() if key[0] != "nn"}
    return "\n".join(line for key in sorted(lines) for line in dict.fromkeys(lines[key])) + "\n"


def short(text):
    """A line without what means nothing here: c10 names, symbolic numbers' own types' defaults."""
    text = text.replace("c10::", "").replace("at::", "").replace("::std::", "")
    return text.replace("List<optional<Tensor>>", "OptionalTensorList").replace("ArrayRef<double>", "DoubleList")


if __name__ == "__main__":
    text = table()
    if "--check" in sys.argv:
        current = TARGET.read_text() == text
        print("signatures are current" if current else "run scripts/signatures.py")
        sys.exit(not current)
    TARGET.write_text(text)
    print(f"{len(text.splitlines())} signatures")
