"""Where the text of a rendered template was written: segments, stacks and names."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Iterator, Sequence

from ipu_asm.source.expansion import Deferred, NameDefinition, NameKind, NameUse
from ipu_asm.source.jinja.compiled import CompiledTags, Rendering
from ipu_asm.source.jinja.contexts import DeclaredContexts
from ipu_asm.source.jinja.names import TemplateName, TemplateNames
from ipu_asm.source.jinja.pieces import FrameNode, PieceKind
from ipu_asm.source.jinja.tokens import Tokens
from ipu_asm.source.source_map import MAIN, Frame, FrameKind, Segment, SourceMap, SourceRange
from ipu_asm.source.templates import TagKind, tags_of
from ipu_asm.text import Span

_COMMENT = re.compile(r"#[^\r\n]*")


class Positions:
    """The positions of one rendering. Everything is computed when it is first asked for."""

    def __init__(
        self, tokens: Tokens, tags: CompiledTags, declared: DeclaredContexts, rendering: Rendering
    ) -> None:
        self._tokens = tokens
        self._tags = tags
        self._declared = declared
        self._rendering = rendering
        self.definitions = Deferred(self._definitions)
        self.uses = Deferred(self._uses)

    @property
    def _names(self) -> TemplateNames:
        return self._tags.names

    def unknown(self) -> tuple[Span, ...]:
        """Return the spans of the expansion that an undefined value may have computed."""
        leaves = self._rendering.leaves
        ends = [*accumulate(map(len, leaves.texts))]
        is_unknown, bare = set(leaves.unknown), self._names.bare
        return tuple(
            Span(end - len(text), end)
            for number, (text, end, origin) in enumerate(zip(leaves.texts, ends, leaves.origins))
            if number in is_unknown or (origin < 0 and ~origin not in bare)
        )

    def segments(self) -> Sequence[Segment]:
        leaves, tokens = self._rendering.leaves, self._tokens
        frames = _Frames(tokens, self._names, leaves.nodes)
        tags: dict[int, SourceRange] = {}
        segments, start = [], 0
        for text, origin, node in zip(leaves.texts, leaves.origins, leaves.frames):
            if origin < 0:
                written = tags.get(origin)
                if written is None:
                    written = tags[origin] = SourceRange(MAIN, tokens.tag_span(~origin))
                frame = frames.of_value(~origin, node)
                segments.append(Segment(start, start + len(text), written, False, frame))
                start += len(text)
                continue
            for piece, at in tokens.pieces(origin):
                written = SourceRange(MAIN, Span(at, at + len(piece)))
                frame = frames.of_node(node)
                segments.append(Segment(start, start + len(piece), written, True, frame))
                start += len(piece)
        return segments

    def _definitions(self) -> Iterator[NameDefinition]:
        for each in self._names.definitions:
            yield NameDefinition(
                each.name,
                each.kind,
                SourceRange(MAIN, self._tokens.place(each.token)),
                SourceRange(MAIN, self._full(each)),
                self._value(each),
                each.parameters,
                "" if each.kind is NameKind.PARAMETER else remark_of(self._tokens, each.token),
            )
        first: set[str] = set()
        for name, tag, part in self._declared.names:
            if name not in first:
                first.add(name)
                comment = self._tokens.tag_span(tag)
                yield NameDefinition(
                    name,
                    NameKind.CONTEXT,
                    SourceRange(MAIN, part.shifted(comment.start)),
                    SourceRange(MAIN, comment),
                    self._context_value(name),
                )

    def _context_value(self, name: str) -> str:
        values = [str(context[name]) for context in self._declared.contexts if name in context]
        return ", ".join(dict.fromkeys(values))

    def _full(self, each: TemplateName) -> Span:
        tokens = self._tokens
        start, end = tokens.span(each.first, each.last)
        return Span(start, start + len(tokens.text[start:end].rstrip()))

    def _value(self, each: TemplateName) -> str | None:
        if each.kind is NameKind.LOOP_VARIABLE:
            tag = self._tokens.tag_of[each.token]
            names = self._names.loops[tag]
            values = self._rendering.loop_values.get(tag, [])
            if len(names) > 1:
                place = names.index((each.name, each.token))
                values = [v.split(", ")[place] for v in values if v.count(", ") == len(names) - 1]
            return ", ".join(values) if values else None
        values = self._rendering.values.get(each.token, [])
        return ", ".join(dict.fromkeys(values)) if values else each.constant

    def _uses(self) -> Iterator[NameUse]:
        definitions = self.definitions
        contexts = {d.name: d for d in definitions if d.kind is NameKind.CONTEXT}
        for use in self._names.known_uses:
            known = None if use.definition is None else definitions[use.definition]
            place = SourceRange(MAIN, self._tokens.place(use.token))
            yield NameUse(use.name, place, known or contexts.get(use.name))


class _Frames:
    """The frames of a rendering, each made once."""

    def __init__(self, tokens: Tokens, names: TemplateNames, nodes: list[FrameNode]) -> None:
        self._tokens = tokens
        self._names = names
        self._nodes = nodes
        self._made: dict[int, Frame] = {}
        self._values: dict[tuple[int, int], Frame | None] = {}

    def of_node(self, number: int) -> Frame | None:
        """Return the frame of a level of the stack."""
        if number < 0:
            return None
        frame = self._made.get(number)
        if frame is None:
            node = self._nodes[number]
            make = self._iteration if node.kind is PieceKind.ITERATION else self._macro
            frame = self._made[number] = make(node, self.of_node(node.parent))
        return frame

    def of_value(self, tag: int, node: int) -> Frame | None:
        key = tag, node
        if key not in self._values:
            self._values[key] = self._value(tag, node)
        return self._values[key]

    def _value(self, tag: int, node: int) -> Frame | None:
        parent = self.of_node(node)
        number = self._names.value_of.get(tag)
        if number is None:
            return parent
        definition = self._names.definitions[number]
        call = SourceRange(MAIN, self._tokens.tag_span(tag))
        if definition.kind is NameKind.PARAMETER and tag in self._names.bare:
            argument = self._argument(definition, node)
            if argument is not None:
                label = f"argument `{definition.name}`"
                return Frame(FrameKind.ARGUMENT, label, call, argument, parent)
        place = SourceRange(MAIN, self._tokens.place(definition.token))
        return Frame(FrameKind.VALUE, f"value of `{definition.name}`", call, place, parent)

    def _argument(self, parameter: TemplateName, node: int) -> SourceRange | None:
        """Return what the call of a macro gives for a parameter, in the outermost call of macros.

        An argument that is nothing but a parameter of the calling macro came from its call.
        """
        place = None
        while True:
            while node >= 0 and self._names.name_token(self._nodes[node].detail) != parameter.macro:
                node = self._nodes[node].parent
            if node < 0 or self._nodes[node].kind is not PieceKind.MACRO:
                return place
            argument = self._names.argument(self._nodes[node].number, parameter)
            if argument is None:
                return place
            place = SourceRange(MAIN, self._tokens.span(argument.first, argument.last))
            number = self._names.definition_of_use(argument.first)
            if argument.first != argument.last or number is None:
                return place
            parameter = self._names.definitions[number]
            node = self._nodes[node].parent
            if parameter.kind is not NameKind.PARAMETER:
                return place

    def _iteration(self, node: FrameNode, parent: Frame | None) -> Frame:
        names = ", ".join(name for name, _ in self._names.loops.get(node.number, ()))
        head = SourceRange(MAIN, self._tokens.tag_span(node.number))
        return Frame(FrameKind.ITERATION, f"for {names} = {node.detail}", head, None, parent)

    def _macro(self, node: FrameNode, parent: Frame | None) -> Frame:
        call = SourceRange(MAIN, self._tokens.tag_span(self._tokens.tag_of[node.number]))
        macro = self._names.macro_at(self._names.name_token(node.detail))
        if macro is None:
            return Frame(FrameKind.MACRO, "`call` block", call, None, parent)
        place = SourceRange(MAIN, self._tokens.place(macro.token))
        return Frame(FrameKind.MACRO, f"macro `{macro.name}`", call, place, parent)


def skeleton_map(text: str, blanked: str) -> tuple[SourceMap, tuple[Span, ...]]:
    """Return the map of a template's skeleton, and the spans whose content is not known.

    A statement between two bundles is none of them: it is not inside a bundle, whatever it does.
    """
    whole = Segment(0, len(text), SourceRange(MAIN, Span(0, len(text))), True)
    return SourceMap((whole,) if text else ()), tuple(_unknown_tags(text, blanked))


def _unknown_tags(text: str, blanked: str) -> Iterator[Span]:
    end, is_between, is_comment = 0, True, False
    for tag in tags_of(text):
        literal = ("#" if is_comment else "") + blanked[end : tag.span.start]
        code = _COMMENT.sub("", literal)
        last_mark = code.rfind(";;")
        is_between = (is_between or last_mark >= 0) and not code[last_mark + 1 :].strip("; \t\r\n")
        if tag.kind is TagKind.OUTPUT or not is_between:
            yield tag.span
        is_comment = "#" in literal[max(literal.rfind("\n"), literal.rfind("\r")) + 1 :]
        end = tag.span.end


def remark_of(tokens: Tokens, name: int) -> str:
    """Return the comment about a definition: after it on its line, or a line directly above.

    `name` is the token of the name.
    """
    tag = tokens.tag_of[name]
    start, end = tokens.tag_span(tag)
    line_end = _line_end(tokens.text, end)
    behind = tokens.text[end:line_end].strip()
    if behind:
        for other in range(tag + 1, len(tokens.tags)):
            span = tokens.tag_span(other)
            if span.start >= line_end:
                break
            if tokens.tags[other].kind == "comment":
                return _comment(tokens, other)
        return behind[1:].lstrip("#").strip() if behind.startswith("#") else ""
    return _above(tokens, tag, start)


def _above(tokens: Tokens, tag: int, start: int) -> str:
    line_start = _line_start(tokens.text, start)
    if tokens.text[line_start:start].strip():
        return ""
    before = tokens.text[_line_start(tokens.text, max(0, line_start - 1)) : line_start].strip()
    if tag and tokens.tags[tag - 1].kind == "comment":
        comment = tokens.tag_span(tag - 1)
        alone = tokens.text[_line_start(tokens.text, comment.start) : comment.start]
        between = tokens.text[comment.end : start]
        if not alone.strip() and not between.strip() and between.count("\n") <= 1:
            return _comment(tokens, tag - 1)
    return (
        before[1:].lstrip("#").strip() if before.startswith("#") and before.count("{") == 0 else ""
    )


def _comment(tokens: Tokens, tag: int) -> str:
    _, first, last = tokens.tags[tag]
    texts = [token.text for token in tokens.tokens[first:last] if token.kind == "comment"]
    text = " ".join("".join(texts).split())
    return "" if text.startswith("ipu:") else text


def _line_start(text: str, offset: int) -> int:
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def _line_end(text: str, offset: int) -> int:
    ends = [at for at in (text.find("\n", offset), text.find("\r", offset)) if at >= 0]
    return min(ends, default=len(text))
