"""torch.utils.backcompat: switches for warnings about old behaviour; kept to be told back."""


class Warning:
    """A warning that may be switched on."""

    enabled = False


broadcast_warning, keepdim_warning = Warning(), Warning()
