"""Packing with proof in a separate process: the server does not load the emulator."""

from __future__ import annotations

import json
from typing import Generator, Mapping

from ipu_asm.flow.control_run.facts import control_facts
from ipu_asm.flow.packing.pack import PackingError
from ipu_asm.program.program import Program
from ipu_asm.text import Span, TextEdit
from ipu_lsp.server.running import TIME_LIMIT_S, output_of


def proven_edits(
    program: Program, rewriting: Mapping[str, object]
) -> Generator[None, None, tuple[TextEdit, ...]]:
    """Return, in short steps, the edits that rewrite a program, if they are proven.

    `rewriting` is what `packing_process` is asked for, such as the `blocks` to pack. Raises
    `PackingError` if they are not.
    """
    request = {
        "isa": program.isa.name,
        "text": program.text,
        "configurations": [dict(facts.presets) for facts in control_facts(program)],
        **rewriting,
    }
    data = json.dumps(request).encode()
    output = yield from output_of("ipu_asm.testbench.packing_process", (), data, TIME_LIMIT_S)
    try:
        answer = json.loads("" if output is None else output.printed)
    except ValueError:
        raise PackingError("the proof was not finished") from None
    if "refusal" in answer:
        raise PackingError(answer["refusal"])
    return tuple(TextEdit(Span(start, end), text) for start, end, text in answer["edits"])
