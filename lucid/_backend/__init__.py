"""The engine: ops, graph and backward. `lucid._backend.core` has the names users look for."""
