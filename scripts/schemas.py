"""Write lucid/_aten/schemas.txt: the schemas of torch's ops, as data.

    python scripts/schemas.py [--check]      (needs torch, which is asked what it has)

One line is one overload, `add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor|C core pointwise`, in
torch's order. What follows the bar are facts: C for a composite that torch takes apart before autograd, T for one that
only TorchScript's interpreter has, then the op's tags (without `pt2_compliant_tag`, which all have but those
marked N).
"""

import pathlib
import sys

import torch

has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key
TARGET = pathlib.Path(__file__).resolve().parents[1] / "lucid" / "_aten" / "schemas.txt"


def facts(overload, name):
    """What the line says of an overload beside its schema."""
    if not torch._C._dispatch_has_kernel(name):
        yield "T"
    elif has_kernel(name, "CompositeImplicitAutograd") and not has_kernel(name, "CPU"):
        yield "C"
    tags = [str(tag).removeprefix("Tag.") for tag in overload.tags]
    if "pt2_compliant_tag" not in tags:
        yield "N"
    yield from (tag for tag in tags if tag != "pt2_compliant_tag")


def lines():
    """All lines of the file."""
    names = {n[6:].partition(".")[0] for n in torch._C._dispatch_get_all_op_names() if n.startswith("aten::")}
    for name in sorted(names):
        packet = getattr(torch.ops.aten, name)
        for which in packet.overloads():
            overload = getattr(packet, which)
            schema = str(overload._schema).removeprefix("aten::")
            yield f"{schema}|{' '.join(facts(overload, overload.name()))}"


def main():
    """Write the file, or say whether it is as torch has it."""
    text = "\n".join(lines()) + "\n"
    if "--check" in sys.argv:
        return int(TARGET.read_text() != text)
    TARGET.write_text(text)
    print(f"{TARGET}: {text.count(chr(10))} overloads, {len(text) // 1024} KB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
