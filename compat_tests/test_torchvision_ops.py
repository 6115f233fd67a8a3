"""Shows that lucid's stand-in for torchvision's compiled part computes what its kernels do: values against point-by-point
references, gradients against finite differences, errors. torchvision itself is not needed (test_torchvision.py has it).
"""

import io

import numpy as np
import pytest
import vision_references as reference

import lucid
from lucid._torchvision import codecs as _codecs  # noqa: F401  (defines torch.ops.image)
from lucid._torchvision import deform, sampling
from lucid._torchvision import ops as _ops  # noqa: F401  (defines torch.ops.torchvision)
from lucid._torchvision import roi_align as align
from lucid._torchvision import roi_pool as pool

vision, image = lucid.ops.torchvision, lucid.ops.image

BOXES = np.array(
    [
        [0, 0, 0, 10, 8],
        [1, 2.3, 1.7, 9.1, 7.9],
        [0, -3, -2, 4, 3],
        [1, 6, 5, 30, 40],
        [0, 5, 5, 5, 5],
        [1, 3, 3, 3.4, 3.2],
        [0, 100, 100, 110, 110],
        [1, 0.5, 0.5, 1.5, 2.5],
    ]
)


def data(channels=3, size=(9, 11), seed=0):
    return np.random.RandomState(seed).randn(2, channels, *size)


def near(got, want, tolerance=1e-9):
    np.testing.assert_allclose(got.detach().numpy(), want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("aligned", (True, False))
@pytest.mark.parametrize("ratio", (-1, 1, 2))
@pytest.mark.parametrize("scale, pooled", ((1.0, (3, 2)), (0.5, (2, 4)), (0.9, (1, 1))))
def test_roi_align(aligned, ratio, scale, pooled):
    x = data()
    rois = BOXES[[0, 1, 2, 3, 5, 6, 7]] if aligned else BOXES
    got = vision.roi_align(lucid.tensor(x), lucid.tensor(rois), scale, *pooled, ratio, aligned)
    near(got, reference.roi_align(x, rois, scale, *pooled, ratio, aligned))


@pytest.mark.parametrize("ratio", (-1, 2))
def test_ps_roi_align(ratio):
    x, rois = data(12), BOXES[[0, 1, 2, 3, 5, 7]]
    got, mapping = vision.ps_roi_align(lucid.tensor(x), lucid.tensor(rois), 0.7, 3, 2, ratio)
    near(got, reference.roi_align(x, rois, 0.7, 3, 2, ratio, True, by_position=True))
    assert mapping.dtype == lucid.int32 and mapping[0, 1].tolist() == [[6, 7], [8, 9], [10, 11]]


@pytest.mark.parametrize("scale, pooled", ((1.0, (3, 2)), (0.5, (2, 4)), (0.25, (1, 1))))
def test_roi_pool(scale, pooled):
    x = data()
    got, where = vision.roi_pool(lucid.tensor(x), lucid.tensor(BOXES), scale, *pooled)
    near(got, reference.roi_pool(x, BOXES, scale, *pooled))
    flat = x.reshape(2, 3, -1)
    for k, c, i, j in np.ndindex(*got.shape):
        at = where[k, c, i, j].item()
        assert got[k, c, i, j].item() == (0 if at < 0 else flat[int(BOXES[k, 0]), c, at])


def test_ps_roi_pool():
    x = data(12)
    got, _ = vision.ps_roi_pool(lucid.tensor(x), lucid.tensor(BOXES), 0.8, 2, 3)
    near(got, reference.roi_pool(x, BOXES, 0.8, 2, 3, by_position=True))


def test_regions_in_portions_give_the_same(monkeypatch):
    x, rois = lucid.tensor(data(12)), lucid.tensor(BOXES)
    calls = [
        lambda: vision.roi_align(x, rois, 0.7, 2, 2, -1, False),
        lambda: vision.ps_roi_align(x, rois[:4], 0.7, 2, 2, -1)[0],
        lambda: vision.roi_pool(x, rois, 0.7, 2, 2)[0],
        lambda: vision.ps_roi_pool(x, rois, 0.7, 2, 2)[0],
        lambda: vision._roi_align_backward(lucid.ones(8, 12, 2, 2).double(), rois, 0.7, 2, 2, 2, 12, 9, 11, -1, False),
    ]
    before = [call() for call in calls]
    monkeypatch.setattr(sampling, "PORTION", 1)
    for call, want in zip(calls, before):
        assert call().allclose(want, rtol=1e-12)


# The kernels of backward, by the vector-Jacobian product of the kernels of the values (all but roi_pool are linear).
SIZES = (2, 12, 6, 7)


@pytest.mark.parametrize("name", ("roi_align", "roi_align aligned", "ps_roi_align", "roi_pool"))
def test_gradients_of_regions(name):
    rois = lucid.tensor(BOXES[[0, 1, 2, 3, 5, 7]]) * 0.6
    x = lucid.tensor(data(12, SIZES[2:]))
    g = lucid.tensor(np.random.RandomState(1).randn(6, 12 if "ps" not in name else 3, 2, 2))
    if name.startswith("roi_align"):
        aligned = "aligned" in name.split()
        value = lambda x: align.roi_align(x, rois, 0.9, 2, 2, -1, aligned)
        got = vision._roi_align_backward(g, rois, 0.9, 2, 2, *SIZES, -1, aligned)
    elif name == "ps_roi_align":
        value = lambda x: align.ps_roi_align(x, rois, 0.9, 2, 2, -1)[0]
        mapping = vision.ps_roi_align(x.detach(), rois, 0.9, 2, 2, -1)[1]
        got = vision._ps_roi_align_backward(g, rois, mapping, 0.9, 2, 2, -1, *SIZES)
    else:
        value = lambda x: pool.roi_pool(x, rois, 0.9, 2, 2)[0]
        where = vision.roi_pool(x.detach(), rois, 0.9, 2, 2)[1]
        got = vision._roi_pool_backward(g, rois, where, 0.9, 2, 2, *SIZES)
    base, r, hit = x.detach(), np.random.RandomState(2), np.argwhere(got.numpy())
    for at in [*hit[r.permutation(len(hit))[:25]], *np.argwhere(got.numpy() == 0)[:3]]:
        step = lucid.zeros(SIZES).double()
        step[tuple(at)] = 1e-6
        want = ((value(base + step) - value(base - step)) * g).sum() / 2e-6
        near(got[tuple(at)], want.item(), 1e-6)


def test_gradient_of_ps_roi_pool():
    """Its bins reach the last row and column, which those of the values leave out, as in torchvision."""
    rois = lucid.tensor(BOXES[:1])
    got = vision._ps_roi_pool_backward(lucid.ones(1, 1, 1, 1).double(), rois, lucid.zeros(1), 1.0, 1, 1, 1, 1, 9, 11)
    want = np.zeros((1, 1, 9, 11))
    want[:, :, :8, :10] = 1 / 80
    near(got, want)


@pytest.mark.parametrize("dtype", (lucid.float32, lucid.float64, lucid.float16))
def test_types(dtype):
    x, rois = lucid.tensor(data()).to(dtype), lucid.tensor(BOXES[:2]).to(dtype)
    for got in (vision.roi_align(x, rois, 1.0, 2, 2, 2, True), vision.roi_pool(x, rois, 1.0, 2, 2)[0]):
        assert got.dtype == dtype
    assert vision.roi_align(x[:, :, :0], rois[:0], 1.0, 2, 2, 2, True).shape == (0, 3, 2, 2)


@pytest.mark.parametrize("threshold", (0.1, 0.3, 0.5, 0.7, 1.0))
def test_nms(threshold):
    r = np.random.RandomState(3)
    corner, scores = r.rand(60, 2) * 10, r.rand(60).round(1)
    boxes = np.concatenate([corner, corner + r.rand(60, 2) * 6 + 0.1], 1)
    got = vision.nms(lucid.tensor(boxes), lucid.tensor(scores), threshold)
    assert got.dtype == lucid.int64 and got.tolist() == reference.nms(boxes, scores, threshold)
    assert vision.nms(lucid.zeros(0, 4), lucid.zeros(0), 0.5).shape == (0,)


def test_box_iou_rotated():
    one = [[0, 0, 4, 2, 0], [1, 1, 4, 2, 30], [5, 5, 1, 1, 10], [0, 0, 4, 2, 90], [0.5, 0, 3, 3, 45]]
    two = [[0, 0, 4, 2, 0], [1, 0.5, 2, 2, 45], [0, 0, 2, 4, 0], [0, 0, 1, 1, 77], [9, 9, 1, 1, 0], [0, 0, 0, 0, 0]]
    got = vision.box_iou_rotated(lucid.tensor(one).double(), lucid.tensor(two).double())
    for i, a in enumerate(one):
        for j, b in enumerate(two):
            assert abs(got[i, j].item() - (reference.rotated_iou(a, b) if b[2] else 0)) < 4e-3, (a, b)
    assert abs(got[0, 0].item() - 1) < 1e-12 and abs(got[3, 2].item() - 1) < 1e-9


CONVOLUTIONS = [
    ((1, 1), (0, 0), (1, 1), 1, 1),
    ((2, 1), (1, 2), (1, 2), 2, 1),
    ((1, 1), (1, 1), (1, 1), 1, 2),
    ((1, 2), (1, 0), (2, 1), 2, 2),
]


def convolution(stride, pad, dilation, groups, offset_groups, kernel=(3, 2), still=False):
    r = np.random.RandomState(5)
    h, w = 6, 7
    out = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, p, d, k, s in zip((h, w), pad, dilation, kernel, stride)]
    taps = offset_groups * kernel[0] * kernel[1]
    offset = np.zeros((2, 2 * taps, *out)) if still else r.randn(2, 2 * taps, *out)
    return (
        r.randn(2, 4, h, w),
        r.randn(6, 4 // groups, *kernel),
        offset,
        r.rand(2, taps, *out),
        r.randn(6),
    )


@pytest.mark.parametrize("masked", (True, False))
@pytest.mark.parametrize("how", CONVOLUTIONS)
def test_deform_conv2d(how, masked):
    stride, pad, dilation, groups, offset_groups = how
    x, w, offset, mask, b = convolution(*how)
    numbers = (*stride, *pad, *dilation, groups, offset_groups, masked)
    tensors = [lucid.tensor(t) for t in (x, w, offset, mask if masked else np.zeros((2, 1)), b)]
    got = vision.deform_conv2d(*tensors, *numbers)
    near(got, reference.deform_conv2d(x, w, offset, mask if masked else None, b, *how))
    g = lucid.tensor(np.random.RandomState(6).randn(*got.shape))
    grads = vision._deform_conv2d_backward(g, *tensors, *numbers)
    for n, (t, found) in enumerate(zip(tensors, grads)):
        if n == 3 and not masked:
            assert not found.any()
            continue
        at = tuple(np.random.RandomState(n).randint(s) for s in t.shape)
        for place in (at, tuple(0 for _ in t.shape)):
            sides = []
            for step in (1e-6, -1e-6):
                moved = [u.clone() for u in tensors]
                moved[n][place] += step
                sides.append((deform.deform_conv2d(*moved, *numbers) * g).sum())
            near(found[place], ((sides[0] - sides[1]) / 2e-6).item(), 1e-5)


def test_offsets_of_zero_are_a_convolution_with_gradients_at_the_border():
    how = ((1, 1), (1, 1), (1, 1), 1, 1)
    x, w, offset, mask, b = (lucid.tensor(t) for t in convolution(*how, kernel=(3, 3), still=True))
    got = vision.deform_conv2d(x, w, offset, lucid.ones_like(mask), b, 1, 1, 1, 1, 1, 1, 1, 1, True)
    near(got, lucid.nn.functional.conv2d(x, w, b, padding=1))
    g = lucid.ones_like(got)
    to_offset = vision._deform_conv2d_backward(g, x, w, offset, mask, b, 1, 1, 1, 1, 1, 1, 1, 1, False)[2]
    # A point one row above the picture gets nearer to it when it moves down: the derivative from below.
    want = (w[:, :, 0, 1] * x[0, :, 0, 3]).sum()
    near(to_offset[0, 2, 0, 3], want.item(), 1e-9)


ERRORS = {
    "rois must": lambda: vision.roi_align(lucid.zeros(1, 1, 2, 2), lucid.zeros(1, 4), 1.0, 1, 1, 1, True),
    "rois should": lambda: vision.roi_pool(lucid.zeros(1, 1, 2, 2), lucid.zeros(1, 4), 1.0, 1, 1),
    "same type": lambda: vision.roi_align(lucid.zeros(1, 1, 2, 2), lucid.zeros(1, 5).double(), 1.0, 1, 1, 1, True),
    "multiple of": lambda: vision.ps_roi_pool(lucid.zeros(1, 3, 2, 2), lucid.zeros(1, 5), 1.0, 2, 1),
    "2d tensor": lambda: vision.nms(lucid.zeros(4), lucid.zeros(1), 0.5),
    "4 elements": lambda: vision.nms(lucid.zeros(1, 5), lucid.zeros(1), 0.5),
    "same number": lambda: vision.nms(lucid.zeros(1, 4), lucid.zeros(2), 0.5),
    "shape .N, 5.": lambda: vision.box_iou_rotated(lucid.zeros(1, 4), lucid.zeros(2, 5)),
    "not valid": lambda: vision.deform_conv2d(
        *map(lucid.zeros, ((1, 1, 3, 3), (1, 1, 2, 2), (1, 3, 2, 2), (1, 4, 2, 2), (1,))), 1, 1, 0, 0, 1, 1, 1, 1, True
    ),
}


@pytest.mark.parametrize("text", ERRORS)
def test_errors(text):
    with pytest.raises(RuntimeError, match="should have shape" if text == "rois must" else text):
        ERRORS[text]()


# ---- pictures


PIL = pytest.importorskip("PIL.Image")
PICTURE = (np.random.RandomState(0).rand(7, 9, 3) * 255).astype(np.uint8)


def encoded(kind, mode="RGB", **options):
    file = io.BytesIO()
    PIL.fromarray(PICTURE).convert(mode).save(file, kind, **options)
    return lucid.frombuffer(bytearray(file.getvalue()), dtype=lucid.uint8)


def test_png_round_trip():
    x = lucid.tensor(PICTURE).permute(2, 0, 1)
    assert image.decode_png(image.encode_png(x, 6), 0).equal(x)
    assert image.decode_image(image.encode_png(x[:1], 0), 0).equal(x[:1])
    assert image.decode_png(image.encode_png(x, 6), 0).stride() == (1, 27, 3)


@pytest.mark.parametrize("mode, channels", {"L": 1, "LA": 2, "P": 1, "RGB": 3, "RGBA": 4, "1": 1}.items())
def test_png_modes(mode, channels):
    data = encoded("PNG", mode)
    assert image.decode_png(data, 0).shape == (channels, 7, 9)
    for asked, n in ((1, 1), (2, 2), (3, 3), (4, 4)):
        got = image.decode_png(data, asked)
        assert got.shape == (n, 7, 9) and got.dtype == lucid.uint8
        if n in (2, 4) and mode in ("L", "RGB", "P", "1"):
            assert (got[-1] == 255).all()


def test_gray_is_libpng_s():
    got = image.decode_png(encoded("PNG"), 1)[0]
    r, g, b = (PICTURE[..., n].astype(int) for n in range(3))
    assert (got.numpy() == (r * 9794 + g * 19235 + b * 3739) // 32768).all()


def test_jpeg_gif_and_webp():
    x = lucid.tensor(PICTURE).permute(2, 0, 1)
    jpeg = image.encode_jpeg(x, 90)
    with PIL.open(io.BytesIO(bytes(jpeg.tolist()))) as picture:
        assert image.decode_jpeg(jpeg, 0).permute(1, 2, 0).numpy().tolist() == np.asarray(picture).tolist()
    assert image.decode_jpeg(jpeg, 1).shape == (1, 7, 9) and image.decode_image(jpeg, 3).shape == (3, 7, 9)
    assert image.decode_gif(encoded("GIF", "P")).shape == (3, 7, 9)
    assert image.decode_webp(encoded("WEBP", lossless=True), 0).equal(x)


def test_orientation():
    exif = PIL.Exif()
    exif[0x0112] = 6
    data = encoded("JPEG", exif=exif.tobytes())
    assert image.decode_jpeg(data, 0).shape == (3, 7, 9) and image.decode_jpeg(data, 0, True).shape == (3, 9, 7)


def test_files(tmp_path):
    data = encoded("PNG")
    image.write_file(str(tmp_path / "x.png"), data)
    assert image.read_file(str(tmp_path / "x.png")).equal(data)
    with pytest.raises(RuntimeError, match="No such file"):
        image.read_file(str(tmp_path / "absent"))


BAD_PICTURES = {
    "uint8 data type": lambda: image.decode_png(lucid.zeros(3), 0),
    "1-dimensional": lambda: image.decode_png(lucid.zeros(0, dtype=lucid.uint8), 0),
    "not png": lambda: image.decode_png(lucid.zeros(9, dtype=lucid.uint8), 0),
    "too small": lambda: image.decode_png(lucid.zeros(3, dtype=lucid.uint8), 0),
    "decoded": lambda: image.decode_jpeg(lucid.zeros(9, dtype=lucid.uint8), 0),
    "Unsupported image file": lambda: image.decode_image(lucid.zeros(99, dtype=lucid.uint8), 0),
    "dtype should be uint8": lambda: image.encode_png(lucid.zeros(3, 2, 2), 6),
    "channels should be": lambda: image.encode_jpeg(lucid.zeros(2, 2, 2, dtype=lucid.uint8), 6),
    "Compression level": lambda: image.encode_png(lucid.zeros(1, 2, 2, dtype=lucid.uint8), 10),
}


@pytest.mark.parametrize("text", BAD_PICTURES)
def test_bad_pictures(text):
    with pytest.raises(RuntimeError, match=text):
        BAD_PICTURES[text]()
