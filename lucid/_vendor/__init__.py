"""torch._vendor: packages that torch carries along; here they are the installed ones."""
