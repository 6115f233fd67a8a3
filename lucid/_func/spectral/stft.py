"""The short-time Fourier transform and its inverse: spectra of overlapping pieces of a signal."""

from ..._backend.registry import public
from ..._base.dtype import SCALAR_NAMES
from ..._base.warn import warn
from ..creation.gfunc import ones, zeros
from ..nn.padding import constant_pad_nd
from ..nn.padding import pad as padded
from ..pointwise.complex import view_as_complex, view_as_real
from ..shape.slicing import slice_of, unfold_backward
from .fft import BY_COUNT, BY_NOTHING, BY_ROOT, fft_c2c, fft_c2r, fft_r2c

_NO_WINDOW = (
    "A window was not provided. A rectangular window will be applied{}To suppress this warning and use a rectangular "
    "window, explicitly set `window=torch.ones(n_fft, device=<device>)`."
)


def _whole_window(window, n_fft, win_length, like):
    """The window with zeros on both sides up to n_fft."""
    if win_length == n_fft:
        return window
    whole = zeros((n_fft,), dtype=like.dtype if window is None else window.dtype, device=like.device)
    left = (n_fft - win_length) // 2
    inner = whole.narrow(0, left, win_length)
    inner.fill_(1) if window is None else inner.copy_(window)
    return whole


def _told(value):
    """An option as torch's messages show it."""
    return int(value) if isinstance(value, bool) else value


def _described(name, type_name, input, window, options):
    """The call as torch's messages begin with it."""
    of_window = None if window is None else f"{window.type()}{{{list(window.shape)}}}"
    shown = {k: of_window if k == "window" else _told(v) for k, v in options.items()}
    return f"{name}({type_name}{list(input.shape)}, {', '.join(f'{k}={v}' for k, v in shown.items())})"


# ---- forwards


@public(method=True)
def stft(
    input,
    n_fft,
    hop_length=None,
    win_length=None,
    window=None,
    center=True,
    pad_mode="reflect",
    normalized=False,
    onesided=None,
    return_complex=None,
    align_to_window=None,
):
    """stft(input, n_fft, hop_length=n_fft // 4, win_length=n_fft, window=ones, center=True, ...) -> complex Tensor

    input (time,) or (batch, time) -> (batch, frequencies, frames): the transform of each piece of n_fft samples, times
    the window, hop_length apart. onesided: n_fft // 2 + 1 frequencies (default for real input). center: the signal is
    padded by n_fft // 2 on both sides. normalized: divided by the root of n_fft. return_complex=False: real and
    imaginary parts in a last dimension of 2. RuntimeError for sizes that do not fit.
    """
    if center:
        if align_to_window is not None:
            raise RuntimeError("stft align_to_window should only be set when center = false")
        ndim, half = input.ndim, int(n_fft // 2)
        input = input.view([1] * (3 - ndim) + list(input.shape))
        input = padded(input, [half, half], pad_mode)
        input = input.view(input.shape[-ndim:])
    given = dict(
        n_fft=n_fft, hop_length=n_fft // 4 if hop_length is None else hop_length,
        win_length=n_fft if win_length is None else win_length, window=window, normalized=normalized,
        onesided=onesided, return_complex=return_complex, align_to_window=align_to_window,
    )  # fmt: skip
    is_complex = input.is_complex() or (window is not None and window.is_complex())
    return_complex = _as_complex(return_complex, is_complex)
    _check_stft(input, window, given)
    result = _spectra(_windowed(input, window, given), normalized, onesided, is_complex).transpose_(1, 2)
    result = result.squeeze_(0) if input.ndim == 1 else result
    return result if return_complex else view_as_real(result)


def _as_complex(return_complex, is_complex):
    """Is the result to be complex? torch wants it said for real signals."""
    if return_complex is None and not is_complex:
        raise RuntimeError(
            "stft requires the return_complex parameter be given for real inputs, and will further require that "
            "return_complex=True in a future PyTorch release."
        )
    if return_complex is False:
        warn(
            "stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex "
            "tensors for all inputs, and return_complex=False will raise an error.\nNote: you can still call "
            "torch.view_as_real on the complex output to recover the old return format."
        )
    return return_complex is None or return_complex


def _windowed(input, window, given):
    """(batch, frames, n_fft): the signal's pieces times the window."""
    n_fft, hop_length, win_length = given["n_fft"], given["hop_length"], given["win_length"]
    if window is None:
        warn(
            _NO_WINDOW.format(
                ",which is known to cause spectral leakage. Other windows such as torch.hann_window or "
                "torch.hamming_window are recommended to reduce spectral leakage."
            )
        )
    input = input.unsqueeze(0) if input.ndim == 1 else input
    if given["align_to_window"]:
        side = (n_fft - win_length) // 2
        input = constant_pad_nd.fn(input, (side, side))
    if input._table.is_transform:  # a tangent need not lie as its primal does
        pieces = input.unfold(1, n_fft, hop_length)
    else:
        pieces = input.as_strided(
            (input.shape[0], 1 + (input.shape[1] - n_fft) // hop_length, n_fft),
            (input.stride(0), hop_length * input.stride(1), input.stride(1)),
        )
    whole = _whole_window(window, n_fft, win_length, input)
    return pieces if whole is None else pieces * whole


def _spectra(pieces, normalized, onesided, is_complex):
    mode = BY_ROOT if normalized else BY_NOTHING
    if not is_complex:
        return fft_r2c.fn(pieces, (2,), mode, onesided is None or onesided)
    if onesided:
        raise RuntimeError("Cannot have onesided output if window or input is complex")
    return fft_c2c.fn(pieces, (2,), mode, True)


def _check_stft(input, window, given):
    n_fft, win_length, length = given["n_fft"], given["win_length"], input.shape[-1] if input.ndim else 0
    trouble = (
        "expected a tensor of floating point or complex values"
        if not (input.is_floating_point() or input.is_complex())
        else "expected a 1D or 2D tensor"
        if not 1 <= input.ndim <= 2
        else f"expected 0 < n_fft < {length}, but got n_fft={win_length if given['align_to_window'] else n_fft}"
        if n_fft <= 0 or (win_length if given["align_to_window"] else n_fft) > length
        else f"expected hop_length > 0, but got hop_length={given['hop_length']}"
        if given["hop_length"] <= 0
        else f"expected 0 < win_length <= n_fft, but got win_length={win_length}"
        if not 0 < win_length <= n_fft
        else f"expected a 1D window tensor of size equal to win_length={win_length}, but got window with size "
        f"{list(window.shape)}"
        if window is not None and tuple(window.shape) != (win_length,)
        else None
    )
    if trouble is not None:
        raise RuntimeError(f"{_described('stft', input.type(), input, window, given)} : {trouble}")


# ---- backwards


@public(method=True)
def istft(
    input,
    n_fft,
    hop_length=None,
    win_length=None,
    window=None,
    center=True,
    normalized=False,
    onesided=None,
    length=None,
    return_complex=False,
):
    """istft(input, n_fft, hop_length=n_fft // 4, win_length=n_fft, window=ones, center=True, ...) -> Tensor

    The inverse of stft by least squares: (batch, frequencies, frames) -> (batch, time) real signals (complex ones if
    return_complex). length: of the result, cut off or filled with zeros. RuntimeError where the windows leave a gap.
    """
    hop_length = n_fft // 4 if hop_length is None else hop_length
    win_length = n_fft if win_length is None else win_length
    given = dict(
        n_fft=n_fft, hop_length=hop_length, win_length=win_length, window=window, center=center, normalized=normalized,
        onesided=onesided, length=length, return_complex=return_complex,
    )  # fmt: skip
    if window is None:
        warn(_NO_WINDOW.format(".Please provide the same window used by stft to make the inversion lossless."))
    told = _described("istft", f"CPU{SCALAR_NAMES[input.dtype]}Type", input, window, given)
    _check_istft(input, window, given, told)
    alone = input.ndim == 2
    parts = view_as_real(input)
    parts = parts.unsqueeze(0) if alone else parts
    spectra = view_as_complex.fn(parts.transpose(1, 2))
    if window is None:
        window = ones((win_length,), dtype=parts.dtype, device=input.device)
    whole = _whole_window(window, n_fft, win_length, parts)
    pieces = _pieces(spectra, n_fft, BY_ROOT if normalized else BY_COUNT, return_complex, onesided)
    result = _overlapped(pieces * whole.view(1, 1, n_fft), whole, hop_length, center, length, told)
    return result.squeeze(0) if alone else result


def _pieces(spectra, n_fft, mode, return_complex, onesided):
    """What each spectrum is the transform of."""
    if return_complex:
        if onesided or (onesided is None and spectra.shape[2] != n_fft):
            raise RuntimeError("Cannot have onesided output if window or input is complex")
        return fft_c2c.fn(spectra, (2,), mode, False)
    if onesided is False or (onesided is None and spectra.shape[2] != n_fft // 2 + 1):
        spectra = spectra.narrow(-1, 0, n_fft // 2 + 1)
    return fft_c2r.fn(spectra, (2,), mode, n_fft)


def _overlapped(pieces, window, hop_length, center, length, told):
    """The pieces added up at their places, divided by what the windows add up to there."""
    batch, frames, n_fft = pieces.shape
    total = n_fft + hop_length * (frames - 1)
    start = n_fft // 2 if center else 0
    end = start + length if length is not None else total - n_fft // 2 if center else total
    signal = unfold_backward.fn(pieces, (batch, total), 1, n_fft, hop_length)
    signal = slice_of.fn(signal, 1, start, min(end, total), 1)
    weights = window.pow(2).expand(1, frames, n_fft)
    weights = slice_of.fn(unfold_backward.fn(weights, (1, total), 1, n_fft, hop_length), 1, start, min(end, total), 1)
    smallest = weights.detach().abs().min()
    if not bool(smallest > 1e-11):
        raise RuntimeError(f"{told} window overlap add min: 1\n[ CPUBoolType{{}} ]")
    signal = signal / weights
    if end <= total:
        return signal
    warn("The length of signal is shorter than the length parameter. Result is being padded with zeros in the tail. "
         "Please check your center and hop_length settings.")  # fmt: skip
    return constant_pad_nd.fn(signal, (0, end - total))


def _check_istft(input, window, given, told):
    n_fft, win_length = given["n_fft"], given["win_length"]
    if not input.is_complex():
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft with return_complex=True."
        )
    onesided, bins = given["onesided"], input.shape[-2] if input.ndim > 1 else 0
    if onesided is None:
        onesided = bins != n_fft
    trouble = (
        " : input tensor cannot be empty."
        if not input.numel()
        else f" : expected a tensor with 3 or 4 dimensions, but got {input.ndim + 1}"
        if input.ndim not in (2, 3)
        else " : expected the frequency dimension (3rd to the last) of the input tensor to match n_fft / 2 + 1 when "
        f"onesided=True, but got {bins}"
        if onesided and bins != n_fft // 2 + 1
        else " : expected the frequency dimension (3rd to the last) of the input tensor to match n_fft when "
        f"onesided=False, but got {bins}"
        if not onesided and bins != n_fft
        else " : expected 0 < hop_length <= win_length"
        if not 0 < given["hop_length"] <= win_length
        else " : expected 0 < win_length <= n_fft"
        if not 0 < win_length <= n_fft
        else " : Invalid window shape. window has to be 1D and length of `win_length`"
        if window is not None and tuple(window.shape) != (win_length,)
        else None
    )
    if trouble is not None:
        raise RuntimeError(told + trouble)
    if window is not None and window.is_complex() and not given["return_complex"]:
        raise RuntimeError("Complex windows are incompatible with return_complex=False")
