"""Packing in a process of its own, for programs that do not load the emulator."""

from __future__ import annotations

import json
import sys

from ipu_asm.flow.packing.pack import PackingError
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.testbench.packing import packed


def main() -> int:
    """Read a request from standard input; print the edits, or why there are none, as JSON.

    A request has `isa`, `text`, the first addresses of the `blocks` to pack, and `configurations`
    of the host. The answer has `edits`, each with start, end and new text, or a `refusal`.
    """
    request = json.load(sys.stdin)
    program = read_program(load_isa(request["isa"]), request["text"])
    answer: dict[str, object]
    try:
        result = packed(program, request["configurations"], frozenset(request["blocks"]))
        answer = {"edits": [[*edit.span, edit.new_text] for edit in result.edits]}
    except PackingError as error:
        answer = {"refusal": str(error)}
    print(json.dumps(answer))
    return 0
