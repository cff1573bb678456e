"""Packing in a process of its own, for programs that do not load the emulator."""

from __future__ import annotations

import json
import sys
from typing import Any, Sequence

from ipu_asm.flow.packing.layout import line_edits
from ipu_asm.flow.packing.pack import PackingError
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program
from ipu_asm.testbench.packing import packed
from ipu_asm.testbench.rewriting import one_pipelined, rebased
from ipu_asm.testbench.scheduling import scheduled_with_proof
from ipu_asm.text import TextEdit


def main() -> int:
    """Read a request from standard input; print the edits, or why there are none, as JSON.

    A request has `isa`, `text` and `configurations` of the host, and what to rewrite: the first
    addresses of the `blocks` to pack, the address of a loop to `pipeline`, `schedule` for all
    regions in order, or `rebase`. The answer has `edits`, each with start, end and new text, or a
    `refusal`.
    """
    request = json.load(sys.stdin)
    program = read_program(load_isa(request["isa"]), request["text"])
    program.configurations = tuple(request["configurations"])
    answer: dict[str, object]
    try:
        answer = {"edits": [[*edit.span, edit.new_text] for edit in _edits(program, request)]}
    except PackingError as error:
        answer = {"refusal": str(error)}
    print(json.dumps(answer))
    return 0


def _edits(program: Program, request: dict[str, Any]) -> Sequence[TextEdit]:
    if "blocks" in request:
        return packed(program, request["configurations"], frozenset(request["blocks"])).edits
    if "pipeline" in request:
        return list(line_edits(program.text, one_pipelined(program, request["pipeline"]).text))
    if "schedule" in request:
        return list(line_edits(program.text, scheduled_with_proof(program).found.scheduled.text))
    result = rebased(program)
    if result.program is program:
        raise PackingError("no other update of loop registers saves cycles")
    return list(line_edits(program.text, packed(result.program).text))
