"""The texts in which a program is shown: a file, a disassembly, the expansion of a template."""

from __future__ import annotations

import os
from typing import Final

from ipu_asm.assembler.kernel import Kernel
from ipu_asm.debugger.breakpoint_resolver import BreakpointResolver
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import SourceLocation
from ipu_lsp.debug_adapter.argument_types import SourceArgument
from ipu_lsp.debug_adapter.client import DebugClient, Positions, is_same_path, path_of
from ipu_lsp.json_types import Json

LISTING: Final = 1
"""`sourceReference` of the disassembly of an image."""
EXPANSION: Final = 2
"""`sourceReference` of the expansion of a template."""


class SourceView(NamedTuple):
    """A text of the program, with the places of its bundles.

    `source` is its DAP `Source`. It has the file `path`, or the `sourceReference` `reference`.
    """

    source: Json
    resolver: BreakpointResolver
    positions: Positions
    client: DebugClient
    path: str = ""
    reference: int = 0

    @property
    def text(self) -> str:
        """The text, as it was when the program was loaded."""
        return self.resolver.table.source.text

    def is_meant(self, argument: SourceArgument) -> bool:
        """Return whether a client's source is this one."""
        if self.reference:
            return argument.source_reference == self.reference
        if argument.path is None or argument.source_reference:
            return False
        return is_same_path(path_of(argument.path), self.path)

    def start(self, place: SourceLocation) -> Json:
        """Return the start of a location as the fields `source`, `line` and `column`."""
        return {"source": self.source, **self.positions.start_to_client(place.span)}


def view_of_file(kernel: Kernel, resolver: BreakpointResolver, client: DebugClient) -> SourceView:
    """Return the view of the file of a program, or of the disassembly of an image."""
    positions, name = Positions(kernel.source.text, client), os.path.basename(kernel.name)
    if kernel.is_image:
        origin = "disassembled"
        source = {"name": f"{name} ({origin})", "sourceReference": LISTING, "origin": origin}
        return SourceView(source, resolver, positions, client, reference=LISTING)
    source = {"name": name, "path": client.path_to_client(kernel.name)}
    return SourceView(source, resolver, positions, client, kernel.name)


def view_of_expansion(
    kernel: Kernel, resolver: BreakpointResolver, client: DebugClient
) -> SourceView:
    """Return the view of the expansion of a template."""
    assert kernel.expansion is not None
    stem, extension = os.path.splitext(os.path.basename(kernel.name))
    context = kernel.expansion.context
    source = {
        # Editors recognize the language by the extension.
        "name": f"{stem} (expansion){extension}",
        "sourceReference": EXPANSION,
        "origin": f"expansion with {context}" if context else "expansion",
    }
    positions = Positions(kernel.expansion.text, client)
    return SourceView(source, resolver, positions, client, reference=EXPANSION)
