"""torchvision's ops point by point, in plain Python over numpy: what lucid/_torchvision is compared with."""

import math

import numpy as np


def between(plane, y, x):
    """A value between the points of a plane, as roi_align interpolates: the border reaches one point out."""
    h, w = plane.shape
    if not (-1 <= y <= h and -1 <= x <= w):
        return 0.0
    y, x = max(y, 0.0), max(x, 0.0)
    y0, x0 = int(y), int(x)
    if y0 >= h - 1:
        y0, y1, y = h - 1, h - 1, float(h - 1)
    else:
        y1 = y0 + 1
    if x0 >= w - 1:
        x0, x1, x = w - 1, w - 1, float(w - 1)
    else:
        x1 = x0 + 1
    ly, lx = y - y0, x - x0
    return (
        (1 - ly) * (1 - lx) * plane[y0, x0]
        + (1 - ly) * lx * plane[y0, x1]
        + ly * (1 - lx) * plane[y1, x0]
        + ly * lx * plane[y1, x1]
    )


def roi_align(input, rois, scale, ph, pw, ratio, aligned, by_position=False):
    """by_position: each bin reads channels of its own, as ps_roi_align does."""
    c = input.shape[1] // (ph * pw if by_position else 1)
    out = np.zeros((len(rois), c, ph, pw))
    shift = 0.5 if aligned or by_position else 0.0
    for k, roi in enumerate(rois):
        x0, y0, x1, y1 = (v * scale - shift for v in roi[1:])
        w, h = x1 - x0, y1 - y0
        if not (aligned or by_position):
            w, h = max(w, 1.0), max(h, 1.0)
        bh, bw = h / ph, w / pw
        gy = ratio if ratio > 0 else math.ceil(bh)
        gx = ratio if ratio > 0 else math.ceil(bw)
        for ch in range(c):
            for i in range(ph):
                for j in range(pw):
                    plane = input[int(roi[0]), (ch * ph + i) * pw + j if by_position else ch]
                    total = sum(
                        between(plane, y0 + i * bh + (a + 0.5) * bh / gy, x0 + j * bw + (b + 0.5) * bw / gx)
                        for a in range(gy)
                        for b in range(gx)
                    )
                    out[k, ch, i, j] = total / max(gy * gx, 1)
    return out


def away(x):
    """C's round."""
    return int(math.copysign(math.floor(abs(x) + 0.5), x))


def roi_pool(input, rois, scale, ph, pw, by_position=False):
    """The maximum of each bin; by_position: the mean, of channels of its own, as ps_roi_pool has it."""
    h, w = input.shape[2:]
    c = input.shape[1] // (ph * pw if by_position else 1)
    out = np.zeros((len(rois), c, ph, pw))
    for k, roi in enumerate(rois):
        x0, y0, x1, y1 = (away(v * scale) for v in roi[1:])
        extra = 0 if by_position else 1
        bh, bw = max(y1 - y0 + extra, 1) / ph, max(x1 - x0 + extra, 1) / pw
        last_y, last_x = (h - 1, w - 1) if by_position else (h, w)
        for ch in range(c):
            for i in range(ph):
                for j in range(pw):
                    top, bottom = (min(max(f + y0, 0), last_y) for f in (math.floor(i * bh), math.ceil((i + 1) * bh)))
                    left, right = (min(max(f + x0, 0), last_x) for f in (math.floor(j * bw), math.ceil((j + 1) * bw)))
                    part = input[int(roi[0]), (ch * ph + i) * pw + j if by_position else ch, top:bottom, left:right]
                    if part.size:
                        out[k, ch, i, j] = part.mean() if by_position else part.max()
    return out


def nms(boxes, scores, threshold):
    """The boxes that stay, best first."""
    order, kept = sorted(range(len(boxes)), key=lambda n: -scores[n]), []
    for n in order:
        x0, y0, x1, y1 = boxes[n]
        for m in kept:
            a0, b0, a1, b1 = boxes[m]
            inter = max(0.0, min(x1, a1) - max(x0, a0)) * max(0.0, min(y1, b1) - max(y0, b0))
            union = (x1 - x0) * (y1 - y0) + (a1 - a0) * (b1 - b0) - inter
            if inter / union > threshold:
                break
        else:
            kept.append(n)
    return kept


def deform_conv2d(input, weight, offset, mask, bias, stride, pad, dilation, groups, offset_groups):
    """A convolution, tap by tap; outside of the input all is zero."""
    b, c, h, w = input.shape
    o, per_group, kh, kw = weight.shape
    out_h = (h + 2 * pad[0] - dilation[0] * (kh - 1) - 1) // stride[0] + 1
    out_w = (w + 2 * pad[1] - dilation[1] * (kw - 1) - 1) // stride[1] + 1

    def value(plane, y, x):
        total, y0, x0 = 0.0, math.floor(y), math.floor(x)
        for yy, wy in ((y0, 1 - (y - y0)), (y0 + 1, y - y0)):
            for xx, wx in ((x0, 1 - (x - x0)), (x0 + 1, x - x0)):
                if 0 <= yy < h and 0 <= xx < w:
                    total += wy * wx * plane[yy, xx]
        return total

    out = np.zeros((b, o, out_h, out_w))
    for n in range(b):
        for oc in range(o):
            for i in range(out_h):
                for j in range(out_w):
                    total = bias[oc]
                    for ic in range(per_group):
                        channel = oc // (o // groups) * per_group + ic
                        og = channel // (c // offset_groups)
                        for p in range(kh):
                            for q in range(kw):
                                at = (og * kh + p) * kw + q
                                y = i * stride[0] - pad[0] + p * dilation[0] + offset[n, 2 * at, i, j]
                                x = j * stride[1] - pad[1] + q * dilation[1] + offset[n, 2 * at + 1, i, j]
                                v = value(input[n, channel], y, x)
                                total += weight[oc, ic, p, q] * v * (1 if mask is None else mask[n, at, i, j])
                    out[n, oc, i, j] = total
    return out


def rotated_iou(one, two, steps=700):
    """The common part by the whole of two rotated boxes, by counting points of a grid."""

    def inside(box, x, y):
        cx, cy, w, h, angle = box
        t = math.radians(angle)
        dx, dy = x - cx, y - cy
        along, across = dx * math.cos(t) - dy * math.sin(t), dx * math.sin(t) + dy * math.cos(t)
        return (abs(along) <= w / 2) & (abs(across) <= h / 2)

    reach = max(math.hypot(one[2], one[3]), math.hypot(two[2], two[3]))
    x = np.linspace(min(one[0], two[0]) - reach, max(one[0], two[0]) + reach, steps)
    y = np.linspace(min(one[1], two[1]) - reach, max(one[1], two[1]) + reach, steps)
    x, y = np.meshgrid(x, y)
    a, b = inside(one, x, y), inside(two, x, y)
    return (a & b).sum() / max((a | b).sum(), 1)
