"""Tensors in groups of one device and type, as optimizers of torch take them."""


def _group_tensors_by_device_and_dtype(tensorlistlist, with_indices=False):
    """_group_tensors_by_device_and_dtype(lists, with_indices=False) -> {(device, dtype): (lists, indices)}"""
    groups = {}
    for i, first in enumerate(tensorlistlist[0]):
        lists, indices = groups.setdefault((first.device, first.dtype), ([[] for _ in tensorlistlist], []))
        for kept, given in zip(lists, tensorlistlist, strict=True):
            if given:
                kept.append(given[i])
        if with_indices:
            indices.append(i)
    return groups
