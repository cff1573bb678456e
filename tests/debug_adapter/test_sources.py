"""The program as text, and the memory that it stands in."""

from __future__ import annotations

from pathlib import Path

import pytest

from ipu_asm import __version__, assemble
from tests.debug_adapter.client import DapClient, Rejected
from tests.debug_adapter.kernel import KERNEL, started


@pytest.fixture
def standing(client: DapClient, tmp_path: Path) -> DapClient:
    return started(client, tmp_path)


def started_image(client: DapClient, folder: Path) -> DapClient:
    """A client that debugs `KERNEL` without a source."""
    image = folder / "kernel.hex"
    image.write_text("".join(f"0x{word:048x}\n" for word in assemble(KERNEL)))
    client.launch(image, stopOnEntry=True)
    client.configured()
    client.stopped()
    return client


def test_a_source_is_the_text_that_is_debugged(standing: DapClient) -> None:
    expected = {"content": KERNEL, "mimeType": "text/x-asm"}
    standing.program.write_text("bkpt;;")
    for source in (standing.source, {"path": f"file://{standing.program}"}):
        assert standing.request("source", source=source, sourceReference=0) == expected


def test_a_text_that_was_changed_is_told_once(standing: DapClient) -> None:
    def told() -> list[str]:
        outputs = standing.events_named("output")
        return [each["output"] for each in outputs if each["category"] == "important"]

    standing.program.write_text(KERNEL)
    standing.step()
    assert told() == []
    for seen_half_way in ("", KERNEL + "bkpt;;"):
        standing.program.write_text(seen_half_way)
        standing.step()
    standing.step()
    text = "kernel.s was changed since the start: restart to debug the new text\n"
    assert told() == [text]
    standing.request("restart")
    standing.stopped()
    standing.step("stepBack")
    assert told() == [text]


def test_an_image_has_a_source_that_is_made_for_it(client: DapClient, tmp_path: Path) -> None:
    started_image(client, tmp_path)
    (source,) = client.request("loadedSources")["sources"]
    assert (source["name"], source["origin"]) == ("kernel.hex (disassembled)", "disassembled")
    assert "path" not in source
    reference = source["sourceReference"]
    by_number = client.request("source", sourceReference=reference)
    assert client.request("source", source=source, sourceReference=reference) == by_number
    assert assemble(by_number["content"]) == assemble(KERNEL)
    with pytest.raises(Rejected, match="the only source is "):
        client.request("source", sourceReference=reference + 1)
    placed = client.request("setBreakpoints", source=source, breakpoints=[{"line": 3}])
    assert placed["breakpoints"][0]["verified"]


def test_paths_are_uris_for_clients_that_want_them(client: DapClient, tmp_path: Path) -> None:
    client.initialize(pathFormat="uri")
    program = client.written(KERNEL)
    client.launch(program, stopOnEntry=True)
    client.configured()
    client.stopped()
    (source,) = client.request("loadedSources")["sources"]
    assert source == {"name": "kernel.s", "path": program.as_uri()}
    assert client.request("source", source=source, sourceReference=0)["content"] == KERNEL


def test_program_memory_is_the_only_module(standing: DapClient) -> None:
    (module,) = standing.request("modules", startModule=0)["modules"]
    assert module["name"] == "kernel.s"
    assert module["path"] == str(standing.program)
    assert module["id"] == standing.frame()["moduleId"]
    assert (module["addressRange"], module["bundles"]) == ("0x0-0x4", "5 of 1024")
    assert (module["isUserCode"], module["symbolStatus"]) == (True, "source")
    assert __version__ in module["version"]
    columns = standing.capabilities["additionalModuleColumns"]
    assert all(column["attributeName"] in module for column in columns)


def test_the_module_of_an_image_has_no_source(client: DapClient, tmp_path: Path) -> None:
    started_image(client, tmp_path)
    (module,) = client.request("modules", startModule=0)["modules"]
    assert module["symbolStatus"] == "disassembled"


def test_sources_can_be_asked_for_while_the_program_runs(client: DapClient) -> None:
    client.start("forever: b forever;;\n")
    assert client.request("loadedSources")["sources"] == [client.source]
    assert client.request("modules", startModule=0)["totalModules"] == 1
    client.request("pause", threadId=1)
    client.stopped()
