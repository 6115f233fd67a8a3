"""torch._weights_only_unpickler: the unpickler that builds only what is allowed."""
