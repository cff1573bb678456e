"""What the worker of the page calls: the language server, `ipu-mca`, and programs for the cores."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import sys
from importlib import import_module
from pathlib import Path
from struct import Struct
from typing import Any, Callable

from ipu_asm.assembler.encode import encode_without_errors
from ipu_asm.cli.mca.command import main as mca
from ipu_asm.config.files import FileError
from ipu_asm.emulator.binding import decode_in_order, is_default_jump, write_conflicts
from ipu_asm.emulator.core.program import (
    CoreDescription,
    Row,
    SlotFormat,
    Source,
    encode_word,
)
from ipu_asm.isa import available_isas, load_isa
from ipu_asm.lint.rules import all_rules, rules_for
from ipu_asm.testbench.data.numpy_files import read_piece
from ipu_asm.testbench.data.source import data_of
from ipu_lsp.server import uris
from ipu_lsp.server.server import FEATURES, LspServer

APP = Path(__file__).parent
_server: LspServer | None = None


def load_all() -> None:
    """Load what the first findings, hovers and reports of any instruction set need."""
    for feature in FEATURES:
        import_module(feature.module)
    all_rules()
    for name in available_isas():
        rules_for(load_isa(name))


def start(write: Callable[[str], None]) -> None:
    """Start the server; `write` gets each of its messages."""
    global _server
    _server = LspServer()
    _server.protocol.write = lambda data: write(data.partition(b"\r\n\r\n")[2].decode("utf-8"))


def mount(uri: str, number: int) -> None:
    """Make a folder here for the files of a client's folder, before the first message is fed."""
    folder = APP / "workspaces" / str(number)
    folder.mkdir(parents=True, exist_ok=True)
    uris.mount(uri, str(folder))


def write(uri: str, content: Any | None) -> None:
    """Store the bytes of a file below a mounted folder; None removes it, or a folder."""
    path = Path(uris.path_of(uri) or "")
    if content is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.to_bytes())
    elif path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def feed(message: str) -> None:
    """Queue a message for the server."""
    server().feed(message.encode("utf-8"))


def pump() -> bool:
    """Do one piece of work; return whether there is more."""
    return server().pump()


def server() -> LspServer:
    assert _server is not None, "`start` comes first"
    return _server


def report(uri: str, form: str, earlier: str | None) -> str:
    """Return the report of `ipu-mca` on the current text of a document.

    With an earlier text of it, return how they differ.
    """
    path, document = uris.path_of(uri), server().session.documents[uri]
    assert path is not None
    kernel = Path(path)
    kernel.parent.mkdir(parents=True, exist_ok=True)
    kernel.write_text(document.text, encoding="utf-8")
    arguments = []
    if earlier is not None:
        old = kernel.with_name(f"A-{kernel.name}")
        old.write_text(earlier, encoding="utf-8")
        arguments = ["--baseline", str(old)]
    printed, complaints = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(complaints):
        status = mca(["--format", form, *arguments, path])
    return json.dumps(
        {"status": status, "printed": printed.getvalue(), "complaints": complaints.getvalue()}
    )


class _State:
    """What encoding asks of the class of a machine's states."""

    def __init__(self, isa_name: str) -> None:
        self.isa_name = isa_name


def core_of(name: str) -> tuple[CoreDescription, dict[str, Any]] | None:
    """Return the core of an instruction set and what the build has written down about it."""
    file = APP / "cores" / f"{name}.json"
    if not file.is_file():
        return None
    facts = json.loads(file.read_text(encoding="utf-8"))
    slots = {
        slot: SlotFormat(Struct(form), tuple(fields))
        for slot, (form, fields) in facts["slots"].items()
    }
    rows = {
        method: Row(opcode, {field: Source(*source) for field, source in sources.items()})
        for method, (opcode, sources) in facts["rows"].items()
    }
    state: Any = _State(name)
    return CoreDescription(Path(), slots, rows, object, state, {}), facts


def program(uri: str) -> str:
    """Return a document's program for the core of its set, or in `problem` why there is none."""
    view = server().session.view(uri)
    if view is None:
        return json.dumps({"problem": "no instruction set is known for this text"})
    effective = view.analysis.effective_program
    isa = effective.isa
    found = core_of(isa.name)
    if found is None:
        able = ", ".join(f"`{name}`" for name in available_isas() if core_of(name))
        return json.dumps({"problem": f"the page runs {able}, found `{isa.name}`"})
    core, facts = found
    words = encode_without_errors(effective)
    if None in words or not words:
        return json.dumps({"problem": "the program has errors; correct them first"})
    order = tuple(facts["order"])
    bundles = [encode_word(core, isa, order, word) for word in words]
    left = {pc: _why(facts, isa.name, words[pc]) for pc, b in enumerate(bundles) if not b.content}
    blank = bytes(core.bundle_size)
    return json.dumps(
        {
            "isa": isa.name,
            "content": b"".join(bundle.content or blank for bundle in bundles).hex(),
            "left": left,
            "texts": [_running(facts, isa.name, *each) for each in enumerate(words)],
        }
    )


def _running(facts: dict[str, Any], name: str, address: int, word: int | None) -> list[str]:
    """The instructions of a word that do something, but for the jump that the assembler adds."""
    decoded = decode_in_order(load_isa(name), facts["order"], word or 0)
    running = [each for each in decoded if each.spec is not None and not each.is_idle]
    return [str(each) for each in running if not is_default_jump(each, address)]


def _why(facts: dict[str, Any], name: str, word: int | None) -> str:
    """Why the core cannot execute a word."""
    isa = load_isa(name)
    running = [each for each in decode_in_order(isa, facts["order"], word or 0) if not each.is_idle]
    causes = [cause for _, cause in write_conflicts(isa, running)]
    return causes[0] if causes else "the core of the emulator does not know this bundle"


def load(text: str, memory_size: int) -> str:
    """Return address and bytes of data such as `FILE@0x100`; a problem in `problem`."""
    try:
        data = data_of(text)
        piece = read_piece(data, memory_size)
    except (FileError, ValueError) as error:
        return json.dumps({"problem": str(error)})
    stored = piece.stored
    if stored is None:
        return json.dumps({"problem": f"{text}: generated data need `ipu-run`"})
    content = stored if isinstance(stored, bytes) else stored.content
    return json.dumps({"address": data.place.address, "content": content.hex()})


def version() -> str:
    """Return the versions of the tool and of the interpreter."""
    import ipu_asm

    return f"{ipu_asm.__version__}, Python {sys.version.split()[0]}"
