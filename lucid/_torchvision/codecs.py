"""Defines torch.ops.image: files, and pictures decoded and encoded by Pillow, which has to be installed."""

import io

from .._base.dtype import uint8, uint16
from ..nn._ops import ops
from .ops import define

GRAY, GRAY_ALPHA, RGB, RGB_ALPHA = 1, 2, 3, 4
_MODES = {GRAY: "L", GRAY_ALPHA: "LA", RGB: "RGB", RGB_ALPHA: "RGBA"}


def _pillow():
    try:
        import PIL.Image
        import PIL.ImageOps
    except ImportError:
        raise RuntimeError("torchvision.io decodes and encodes through Pillow on lucid: pip install pillow") from None
    return PIL


def _encoded(data):
    """The bytes of a tensor that holds a file."""
    if data.dtype != uint8:
        raise RuntimeError(f"Input tensor must have uint8 data type, got {data.dtype}")
    if data.ndim != 1 or not data.numel():
        raise RuntimeError("Expected a non empty 1-dimensional tensor")
    return data.contiguous().numpy().tobytes()


def _opened(raw, kinds):
    """Pillow's image of a file's bytes."""
    try:
        return _pillow().Image.open(io.BytesIO(raw), formats=kinds)
    except OSError as error:
        raise RuntimeError(f"The image could not be decoded: {error}") from None


def _tensor_of(image):
    """(C, H, W) of an image, in memory as (H, W, C)."""
    w, h = image.size
    wide = image.mode.startswith("I;16")
    try:
        raw = bytearray(image.tobytes())
    except OSError as error:
        raise RuntimeError(f"The image could not be decoded: {error}") from None
    return ops.frombuffer(raw, dtype=uint16 if wide else uint8).reshape(h, w, -1).permute(2, 0, 1)


def _turned(image, apply_exif_orientation):
    return _pillow().ImageOps.exif_transpose(image) if apply_exif_orientation else image


def _gray(image):
    """Luminance as libpng computes it: 15 bits, truncated."""
    r, g, b = _tensor_of(image.convert("RGB")).int()
    return ((r * 9794 + g * 19235 + b * 3739) >> 15).to(uint8)


def decode_png(data, mode, apply_exif_orientation=False):
    """The kernel of image::decode_png."""
    raw = _encoded(data)
    if len(raw) < 8:
        raise RuntimeError("Content is too small for png!")
    if not raw.startswith(b"\x89PNG\r\n\x1a\n"):
        raise RuntimeError("Content is not png!")
    if mode not in (0, *_MODES):
        raise RuntimeError("The provided mode is not supported for PNG files")
    image, deep = _opened(raw, ["PNG"]), raw[24] == 16
    if deep and (not image.mode.startswith("I") or mode not in (0, GRAY)):
        raise NotImplementedError("decode_png: of 16 bits a channel lucid, through Pillow, reads gray pictures only")
    if deep:
        return _tensor_of(_turned(image, apply_exif_orientation).convert("I;16"))
    image = _turned(image, apply_exif_orientation)
    if image.mode == "1":
        image = image.convert("L")
    if mode in (GRAY, GRAY_ALPHA) and image.mode in ("RGB", "RGBA", "P"):
        gray = _gray(image)[None]
        if mode == GRAY:
            return gray.permute(1, 2, 0).contiguous().permute(2, 0, 1)
        alpha = _tensor_of(image.convert("RGBA"))[3:] if image.mode != "RGB" else ops.full_like(gray, 255)
        return ops.cat([gray, alpha]).permute(1, 2, 0).contiguous().permute(2, 0, 1)
    return _tensor_of(image if mode == 0 or image.mode == _MODES[mode] else image.convert(_MODES[mode]))


def decode_jpeg(data, mode, apply_exif_orientation=False):
    """The kernel of image::decode_jpeg."""
    if mode not in (0, GRAY, RGB):
        raise RuntimeError("The provided mode is not supported for JPEG files")
    image = _opened(_encoded(data), ["JPEG"])
    if mode == GRAY and image.mode != "L":
        image.draft("L", None)  # the file's own luminance, not that of its colours
    image = _turned(image, apply_exif_orientation)
    return _tensor_of(image if mode == 0 or image.mode == _MODES[mode] else image.convert(_MODES[mode]))


def decode_webp(data, mode):
    """The kernel of image::decode_webp."""
    image = _opened(_encoded(data), ["WEBP"])
    return _tensor_of(image.convert(_MODES[mode]) if mode in (RGB, RGB_ALPHA) else image)


def decode_gif(data):
    """The kernel of image::decode_gif: (C, H, W), or (N, C, H, W) where the file has several pictures."""
    image, frames = _opened(_encoded(data), ["GIF"]), []
    for n in range(getattr(image, "n_frames", 1)):
        image.seek(n)
        frames.append(_tensor_of(image.convert("RGB")))
    return ops.stack(frames) if len(frames) > 1 else frames[0]


_MARKS = ((b"\xff\xd8\xff", decode_jpeg), (b"\x89PNG", decode_png), (b"GIF89a", decode_gif), (b"GIF87a", decode_gif))


def decode_image(data, mode, apply_exif_orientation=False):
    """The kernel of image::decode_image: by the file's first bytes."""
    raw = _encoded(data)
    for mark, decode in _MARKS:
        if raw.startswith(mark):
            return decode(data) if decode is decode_gif else decode(data, mode, apply_exif_orientation)
    if raw[:4] == b"RIFF" and raw[8:15] == b"WEBPVP8":
        return decode_webp(data, mode)
    raise RuntimeError(
        "Unsupported image file. Only jpeg, png, webp and gif are currently supported. For avif and heic format, "
        "please rely on `decode_avif` and `decode_heic` directly."
    )


def _image_of(data):
    """Pillow's image of a tensor (C, H, W)."""
    if data.dtype != uint8:
        raise RuntimeError("Input tensor dtype should be uint8")
    if data.ndim != 3:
        raise RuntimeError("Input data should be a 3-dimensional tensor")
    c, h, w = data.shape
    if c not in (1, 3):
        raise RuntimeError(f"The number of channels should be 1 or 3, got: {c}")
    raw = data.permute(1, 2, 0).contiguous().numpy().tobytes()
    return _pillow().Image.frombytes("L" if c == 1 else "RGB", (w, h), raw)


def _saved(image, kind, **options):
    file = io.BytesIO()
    image.save(file, kind, **options)
    return ops.frombuffer(bytearray(file.getvalue()), dtype=uint8)


def encode_png(data, compression_level):
    """The kernel of image::encode_png."""
    if not 0 <= compression_level <= 9:
        raise RuntimeError("Compression level should be between 0 and 9")
    return _saved(_image_of(data), "PNG", compress_level=compression_level)


def encode_jpeg(data, quality):
    """The kernel of image::encode_jpeg."""
    return _saved(_image_of(data), "JPEG", quality=quality)


def read_file(path):
    """The kernel of image::read_file."""
    try:
        with open(path, "rb") as file:
            return ops.frombuffer(bytearray(file.read()), dtype=uint8)
    except OSError as error:
        raise RuntimeError(f"[Errno {error.errno}] {error.strerror}: '{path}'") from None
    except ValueError:
        raise RuntimeError("Expected a non empty file") from None


def write_file(path, data):
    """The kernel of image::write_file."""
    if data.dtype != uint8:
        raise RuntimeError("Input tensor dtype should be uint8")
    if data.ndim != 1:
        raise RuntimeError("Input data should be 1-dimensional tensor")
    with open(path, "wb") as file:
        file.write(data.contiguous().numpy().tobytes())


def _no_cuda(*args):
    raise RuntimeError("Torch not compiled with CUDA enabled: decode and encode on the CPU")


define(
    "image",
    {
        "read_file(str path) -> Tensor": read_file,
        "write_file(str path, Tensor data) -> ()": write_file,
        "decode_png(Tensor data, int mode, bool apply_exif_orientation=False) -> Tensor": decode_png,
        "decode_jpeg(Tensor data, int mode, bool apply_exif_orientation=False) -> Tensor": decode_jpeg,
        "decode_webp(Tensor encoded_data, int mode) -> Tensor": decode_webp,
        "decode_gif(Tensor encoded_data) -> Tensor": decode_gif,
        "decode_image(Tensor data, int mode, bool apply_exif_orientation=False) -> Tensor": decode_image,
        "encode_png(Tensor data, int compression_level) -> Tensor": encode_png,
        "encode_jpeg(Tensor data, int quality) -> Tensor": encode_jpeg,
        "decode_jpegs_cuda(Tensor[] encoded_images, int mode, Device device) -> Tensor[]": _no_cuda,
        "encode_jpegs_cuda(Tensor[] images, int quality) -> Tensor[]": _no_cuda,
        "_jpeg_version() -> int": lambda: 62,
        "_is_compiled_against_turbo() -> bool": lambda: True,
    },
)
