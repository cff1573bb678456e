"""Code generation that keeps positions.

The tokens that Jinja's parser gets have their own numbers in place of line numbers, so every node
of the syntax tree knows its token. The generated code passes these numbers to the functions of a
`Recorder`; apart from that it is what Jinja generates.
"""

from __future__ import annotations

import math
from contextlib import contextmanager
from typing import Any, Iterator

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame

# Of constants that have the same hash, the compiler and a dictionary take the square of their
# number. Those of texts are random; of numbers, large ones have the hash that their author wants.
_MIN_MADE = 1 << 31
_MIN_MAPPING = 500


def prepare(tree: nodes.Template, tag_of: list[int]) -> None:
    """Mark iterations, filters and calls whose result is an output, and names in set blocks."""
    for node in [*_statements(tree)]:
        if isinstance(node, nodes.For):
            # Jinja's analysis of names visits the mark, so it reads the variables by real nodes.
            mark = nodes.Output([_loaded(node.target)], lineno=node.lineno)
            weight = 1 + sum(1 for _ in node.find_all((nodes.TemplateData, nodes.Expr)))
            setattr(mark, "weight", weight)  # noqa: B010
            node.body.insert(0, mark)
        elif isinstance(node, (nodes.FilterBlock, nodes.CallBlock)):
            made = node.filter if isinstance(node, nodes.FilterBlock) else node.call
            setattr(made, "output_tag", tag_of[node.lineno])  # noqa: B010
        elif isinstance(node, nodes.AssignBlock) and node.filter is not None:
            # Jinja's analysis of names leaves out the arguments of this filter.
            names = node.filter.find_all(nodes.Name)
            mark = nodes.Output([nodes.Name(name.name, "load", lineno=0) for name in names])
            setattr(mark, "weight", 0)  # noqa: B010
            node.body.insert(0, mark)


def _statements(tree: nodes.Node) -> Iterator[nodes.Node]:
    """Yield the statements below a node, except for outputs: they have none in them."""
    for child in tree.iter_child_nodes():
        if isinstance(child, nodes.Stmt) and not isinstance(child, nodes.Output):
            yield child
            yield from _statements(child)


def is_mark(node: nodes.Output) -> bool:
    """Return whether an output is none of the template, but was added here."""
    return hasattr(node, "weight")


def _loaded(target: nodes.Node) -> nodes.Expr:
    """Return the expression that reads the target of an assignment."""
    if isinstance(target, nodes.Name):
        return nodes.Name(target.name, "load", lineno=target.lineno)
    if isinstance(target, nodes.Tuple):
        return nodes.Tuple([_loaded(each) for each in target.items], "load", lineno=target.lineno)
    return nodes.Const(None, lineno=target.lineno)


class PositionGenerator(CodeGenerator):
    """Jinja's code generator; `environment.tag_of` gives the tag of each token."""

    def visit_Output(self, node: nodes.Output, frame: Frame) -> None:
        """Write a statement for each literal text and each expression."""
        if getattr(node, "weight", 1) == 0:
            return
        if frame.require_output_check:
            if self.has_known_extends:
                return
            self.writeline("if parent_template is None:")
            self.indent()
        for child in node.nodes:
            self.start_write(frame, child)
            if isinstance(child, nodes.TemplateData):
                self.write(f"_literals[{child.lineno}]")
            elif hasattr(node, "weight"):
                self.write(f"_iterate({self._tag(node)}, {node.weight}, ")
                self.visit(child, frame)
                self.write(")")
            else:
                self._write_expression(child, frame)
            self.end_write(frame)
        if frame.require_output_check:
            self.outdent()

    def _write_expression(self, child: nodes.Expr, frame: Frame) -> None:
        name = "escape" if frame.eval_ctx.autoescape else ""
        if frame.eval_ctx.volatile:  # then Jinja escapes no constant
            is_constant = isinstance(child, nodes.Const)
            name = "" if is_constant else "(escape if context.eval_ctx.autoescape else _plain)"
        self.write(f"_output({self._tag(child)}, {name}(")
        self.visit(child, frame)
        self.write("))")

    def _tag(self, node: nodes.Node) -> int:
        tag_of: list[int] = self.environment.tag_of  # type: ignore[attr-defined]
        return tag_of[node.lineno]

    def visit_For(self, node: nodes.For, frame: Frame) -> None:
        """Write the loop, and the mark of its end."""
        super().visit_For(node, frame)
        if not frame.require_output_check:
            self.simple_write(f"_after_loop({self._tag(node)})", frame)

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:
        """Write a call between the notes of its beginning and its end."""
        setattr(node.node, "is_called", True)  # noqa: B010
        with _output_of(self, node):
            self.write(f"_enter({node.lineno})(")
            super().visit_Call(node, frame, forward_caller=forward_caller)
            self.write(")")

    def visit_Filter(self, node: nodes.Filter, frame: Frame) -> None:
        """Write a filter; the result of a filter block is an output."""
        with _output_of(self, node):
            super().visit_Filter(node, frame)

    def visit_Macro(self, node: nodes.Macro, frame: Frame) -> None:
        """Write a macro that knows its own token."""
        super().visit_Macro(node, frame)
        self.writeline(f"{frame.symbols.ref(node.name)}.token = {node.lineno}")

    def visit_Assign(self, node: nodes.Assign, frame: Frame) -> None:
        """Write an assignment, and a note of the values."""
        self.newline(node)  # Jinja writes a check of a namespace without it
        super().visit_Assign(node, frame)
        self._note_values(node.target, frame)

    def visit_AssignBlock(self, node: nodes.AssignBlock, frame: Frame) -> None:
        """Write an assignment of a block, and a note of its text."""
        super().visit_AssignBlock(node, frame)
        self._note_values(node.target, frame)

    def _note_values(self, target: nodes.Node, frame: Frame) -> None:
        names = [target, *target.find_all(nodes.Name)]
        for name in names:
            if isinstance(name, nodes.Name):
                self.writeline(f"_assigned({name.lineno}, {frame.symbols.ref(name.name)})")

    def visit_Const(self, node: nodes.Const, frame: Frame) -> None:
        if node.value == math.inf:
            self.write("1e999")  # Jinja writes `inf`, the name of nothing
        elif isinstance(node.value, int) and node.value >= _MIN_MADE:
            self.write(f"int('{node.value}')")
        else:
            super().visit_Const(node, frame)

    def visit_Name(self, node: nodes.Name, frame: Frame) -> None:
        """Write a name; one that is undefined gets to know its place."""
        self._placed(super().visit_Name, node, frame, node.ctx == "load")

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:
        """Write an attribute; one that is undefined gets to know its place."""
        setattr(node.node, "is_called", True)  # noqa: B010
        self._placed(super().visit_Getattr, node, frame, True)

    def visit_Getitem(self, node: nodes.Getitem, frame: Frame) -> None:
        """Write an element; an undefined one gets to know its place, a slice is counted."""
        if isinstance(node.arg, nodes.Slice):
            self._counted(super().visit_Getitem, node, frame)
        else:
            self._placed(super().visit_Getitem, node, frame, True)

    def visit_Test(self, node: nodes.Test, frame: Frame) -> None:
        """Write a test, which may be whether something is a function."""
        setattr(node.node, "is_called", True)  # noqa: B010
        super().visit_Test(node, frame)

    def visit_Compare(self, node: nodes.Compare, frame: Frame) -> None:
        """Write a comparison, which is counted, for it may be of long lists."""
        self._counted(super().visit_Compare, node, frame)

    def _placed(self, visit: Any, node: nodes.Expr, frame: Frame, is_load: bool) -> None:
        if is_load:
            function = "_at" if hasattr(node, "is_called") else "_value"
            self.write(f"{function}({node.lineno}, ")
        visit(node, frame)
        if is_load:
            self.write(")")

    def visit_List(self, node: nodes.List, frame: Frame) -> None:
        """Write a list, whose size is counted."""
        self._counted(super().visit_List, node, frame)

    def visit_Dict(self, node: nodes.Dict, frame: Frame) -> None:
        """Write a dictionary, whose size is counted."""
        if len(node.items) < _MIN_MAPPING:
            self._counted(super().visit_Dict, node, frame)
            return
        self.write("_mapping((")
        for item in node.items:
            self.write("(")
            self.visit(item.key, frame)
            self.write(", ")
            self.visit(item.value, frame)
            self.write("), ")
        self.write("))")

    def visit_Tuple(self, node: nodes.Tuple, frame: Frame) -> None:
        """Write a tuple; the size of one that is no target is counted."""
        if node.ctx == "load":
            self._counted(super().visit_Tuple, node, frame)
        else:
            super().visit_Tuple(node, frame)

    def _counted(self, visit: Any, node: nodes.Expr, frame: Frame) -> None:
        self.write("_counted(")
        visit(node, frame)
        self.write(")")

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:
        """Write a concatenation that keeps its parts."""
        if frame.eval_ctx.volatile or frame.eval_ctx.autoescape:
            self._counted(super().visit_Concat, node, frame)
            return
        self.write("_joined((")
        for each in node.nodes:
            self.visit(each, frame)
            self.write(", ")
        self.write("))")


@contextmanager
def _output_of(generator: CodeGenerator, node: nodes.Expr) -> Iterator[None]:
    """Write the call of `_output` around what is written in the block, if a node is an output."""
    tag = getattr(node, "output_tag", None)
    if tag is not None:
        generator.write(f"_output({tag}, ")
    yield
    if tag is not None:
        generator.write(")")
