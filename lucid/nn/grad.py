"""torch.nn.grad: gradients of convolutions, for those who write their own."""

from .._aten.overloads import aten


def _tuple(value, n):
    return (value,) * n if isinstance(value, int) else tuple(value)


def _backward(n, grad_output, input, weight, options, mask):
    stride, padding, dilation, groups = options
    numbers = [_tuple(v, n) for v in (stride, padding, dilation)]
    return aten("convolution_backward")(grad_output, input, weight, None, *numbers, False, [0], groups, mask)


def _of_input(n):
    def f(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
        input = grad_output.new_empty(1).expand(input_size)
        options = stride, padding, dilation, groups
        return _backward(n, grad_output, input, weight, options, (True, False, False))[0]

    f.__name__ = f.__qualname__ = f"conv{n}d_input"
    f.__doc__ = f"""conv{n}d_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1)
    -> Tensor: the gradient of conv{n}d's input."""
    return f


def _of_weight(n):
    def f(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
        weight = grad_output.new_empty(1).expand(weight_size)
        options = stride, padding, dilation, groups
        return _backward(n, grad_output, input, weight, options, (False, True, False))[1]

    f.__name__ = f.__qualname__ = f"conv{n}d_weight"
    f.__doc__ = f"""conv{n}d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1)
    -> Tensor: the gradient of conv{n}d's weight."""
    return f


conv1d_input, conv2d_input, conv3d_input = map(_of_input, (1, 2, 3))
conv1d_weight, conv2d_weight, conv3d_weight = map(_of_weight, (1, 2, 3))
