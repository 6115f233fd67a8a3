"""Tracing of functions with `assert` in them: their source is rewritten to call torch._assert."""

import ast
import copy
import functools
import inspect
import textwrap
from types import FunctionType

from ...nn.modules.module import Module
from .._symbolic_trace import Tracer
from ..names import library


class AST_Rewriter(ast.NodeTransformer):
    """AST_Rewriter().rewrite(function) -> the function with statements that cannot be traced in other words."""

    def rewrite(self, fn):
        """rewrite(function) -> function with the same globals and defaults."""
        tree = ast.parse(textwrap.dedent(inspect.getsource(fn)))
        code = compile(ast.fix_missing_locations(self.visit(tree)), "", "exec")
        scope = {**fn.__globals__, "torch": library()}
        known = set(scope)
        exec(code, scope)
        (name,) = set(scope) - known or {fn.__name__}
        found = scope[name]
        world = {**fn.__globals__}
        world.setdefault("torch", library())
        made = FunctionType(found.__code__, world, found.__name__, found.__defaults__, found.__closure__)
        made = functools.update_wrapper(made, found)
        made.__kwdefaults__ = copy.copy(found.__kwdefaults__)
        return made

    def visit_Assert(self, node):
        """assert test, message -> torch._assert(test, message)"""
        call = ast.parse("torch._assert()", mode="eval").body
        call.args = [node.test, node.msg or ast.Constant(value="", kind=None)]
        return ast.copy_location(ast.Expr(value=call), node)

    def visit_AnnAssign(self, node):
        """x: kind = value -> x = annotate(value, kind)"""
        call = ast.Call(func=ast.Name(id="annotate", ctx=ast.Load()), args=[node.value, node.annotation], keywords=[])
        return ast.Assign(targets=[node.target], value=call)


class RewritingTracer(Tracer):
    """A Tracer that rewrites what it traces, modules inside modules, too."""

    def trace(self, root, concrete_args=None):
        """trace(root, concrete_args=None) -> Graph"""
        return super().trace(_rewrite(root), concrete_args)


def _rewrite(fn):
    if not isinstance(fn, Module):
        return AST_Rewriter().rewrite(fn)

    class RewrittenModule(Module):
        """A module with its forward rewritten."""

        def __init__(self, orig):
            super().__init__()
            for name, value in orig.__dict__.items():
                self.__dict__[name] = copy.copy(_rewrite(value) if isinstance(value, Module) else value)

    RewrittenModule.forward = AST_Rewriter().rewrite(fn.forward)
    return RewrittenModule(fn)
