"""nms and box_iou_rotated."""

import math

from ..nn._ops import ops
from .sampling import wide


def nms(dets, scores, iou_threshold):
    """The kernel of torchvision::nms: which boxes stay, best first."""
    if dets.ndim != 2:
        raise RuntimeError(f"boxes should be a 2d tensor, got {dets.ndim}D")
    if dets.shape[1] != 4:
        raise RuntimeError(f"boxes should have 4 elements in dimension 1, got {dets.shape[1]}")
    if scores.ndim != 1:
        raise RuntimeError(f"scores should be a 1d tensor, got {scores.ndim}D")
    if dets.shape[0] != scores.shape[0]:
        raise RuntimeError(
            "boxes and scores should have same number of elements in dimension 0, got "
            f"{dets.shape[0]} and {scores.shape[0]}"
        )
    if dets.dtype != scores.dtype:
        raise RuntimeError("dets should have the same type as scores")
    order = scores.sort(stable=True, descending=True).indices
    boxes = wide(dets.detach())[order]
    x1, y1, x2, y2 = (c.contiguous() for c in boxes.unbind(1))
    areas = (x2 - x1) * (y2 - y1)
    kept, left = [], ops.arange(len(order))
    while left.numel():  # those that no better one covers, best first
        first = left[0]
        kept.append(first)
        left = left[1:]
        width = (ops.minimum(x2[first], x2[left]) - ops.maximum(x1[first], x1[left])).clamp(min=0)
        height = (ops.minimum(y2[first], y2[left]) - ops.maximum(y1[first], y1[left])).clamp(min=0)
        inter = width * height
        covered = (inter / (areas[first] + areas[left] - inter)).double() > iou_threshold
        left = left[~covered]
    return order[ops.stack(kept)] if kept else order


def _corners(boxes):
    """(N, 4, 2): the corners of boxes (centre, size, degrees), in order around each."""
    x, y, w, h, angle = boxes.unbind(-1)
    angle = angle * (math.pi / 180)
    cos, sin = angle.cos() / 2, angle.sin() / 2
    dx, dy = (
        ops.stack([sin * h + cos * w, cos * w - sin * h], -1),
        ops.stack([cos * h - sin * w, -sin * w - cos * h], -1),
    )
    dx, dy = ops.cat([dx, -dx], -1), ops.cat([dy, -dy], -1)
    return ops.stack([x[:, None] + dx, y[:, None] + dy], -1)


def _cross(a, b):
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def _inside(points, corners):
    """Which points (..., 4, 2) lie in the rectangle of corners (..., 4, 2), border included."""
    ab, ad = corners[..., 1, :] - corners[..., 0, :], corners[..., 3, :] - corners[..., 0, :]
    ap = points - corners[..., :1, :]
    along, across = (ap * ab[..., None, :]).sum(-1), (ap * ad[..., None, :]).sum(-1)
    ab2, ad2 = (ab * ab).sum(-1)[..., None], (ad * ad).sum(-1)[..., None]
    slack = 1e-9 * (ab2 + ad2)
    return (along >= -slack) & (along <= ab2 + slack) & (across >= -slack) & (across <= ad2 + slack)


def box_iou_rotated(boxes1, boxes2):
    """The kernel of torchvision::box_iou_rotated: (N, M), common area by area of both."""
    for n, boxes in ((1, boxes1), (2, boxes2)):
        if boxes.ndim != 2 or boxes.shape[1] != 5:
            letter = "NM"[n - 1]
            raise RuntimeError(f"boxes{n} should have shape ({letter}, 5), got {list(boxes.shape)}")
    if boxes1.dtype != boxes2.dtype:
        raise RuntimeError("boxes1 and boxes2 must have the same dtype")
    one, two = boxes1.detach().double(), boxes2.detach().double()
    n, m = len(one), len(two)
    if not n or not m:
        return boxes1.new_zeros((n, m))
    shape = (n, m, 4, 2)
    p, q = _corners(one)[:, None].expand(shape), _corners(two)[None].expand(shape)
    middle = (one[:, None, :2] + two[None, :, :2]) / 2  # near zero there is most precision
    p, q = p - middle[:, :, None], q - middle[:, :, None]
    r, s = (p.roll(-1, 2) - p)[..., :, None, :], (q.roll(-1, 2) - q)[..., None, :, :]
    between, det = q[..., None, :, :] - p[..., :, None, :], _cross(r, s)
    safe = ops.where(det == 0, 1.0, det)
    t, u = _cross(between, s) / safe, _cross(between, r) / safe
    meet = (det.abs() > 1e-14) & (t >= 0) & (t <= 1) & (u >= 0) & (u <= 1)
    crossings = (p[..., :, None, :] + t[..., None] * r).flatten(2, 3)
    points = ops.cat([crossings, p, q], 2)
    valid = ops.cat([meet.flatten(2), _inside(p, q), _inside(q, p)], 2)
    count = valid.sum(-1, keepdim=True)
    points = ops.where(valid[..., None], points, 0.0)
    centre = points.sum(2, keepdim=True) / count.clamp(min=1)[..., None]
    around = ops.where(valid[..., None], points - centre, 0.0)
    # Around their centre the corners of the common part stand in order; others are put onto the first.
    angle = ops.where(valid, ops.atan2(around[..., 1], around[..., 0]), 10.0)
    order = angle.argsort(-1)
    ring = around.gather(2, order[..., None].expand(*order.shape, 2))
    used = ops.arange(ring.shape[2]) < count
    ring = ops.where(used[..., None], ring, ring[:, :, :1])
    common = _cross(ring, ring.roll(-1, 2)).sum(-1).abs() / 2
    area1, area2 = (one[:, 2] * one[:, 3])[:, None], (two[:, 2] * two[:, 3])[None]
    tiny = (area1 < 1e-14) | (area2 < 1e-14) | (count[..., 0] <= 2)
    return ops.where(tiny, 0.0, common / (area1 + area2 - common)).to(boxes1.dtype)
