"""The playground as built, in Chromium and in Node: it says and computes what CPython does."""

from __future__ import annotations

import json
import random
import subprocess
import unicodedata
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Iterator, Sequence

import pytest

from ipu_lsp.server.server import LspServer
from ipu_lsp.transport import Json
from tests.example_references import ROOT
from tests.hostile import mutated
from tests.server.conversation import INITIALIZE, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PLAYGROUND = ROOT / "playground"
DIST = PLAYGROUND / "dist"
MAX_BYTES_SENT = 12_000_000
MUTANTS = 400
PATIENCE_MS = 60_000
PATIENCE_WITH_THE_START_MS = 180_000
WIDER_THAN_THE_WINDOW = "document.documentElement.scrollWidth > innerWidth"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Print nothing."""


@pytest.fixture(scope="module")
def address(built: Path) -> Iterator[str]:
    """Where a host that knows nothing of the page serves it."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(built)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@pytest.fixture(scope="module")
def page(browser: Browser, address: str) -> Iterator[Page]:
    """The page as a visitor sees it first; no part of it fails."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(address)
    await_findings(page, "0 errors, 0 warnings", PATIENCE_WITH_THE_START_MS)
    yield page
    page.close()
    assert errors == []


def await_findings(page: Page, expected: str, patience: int = PATIENCE_MS) -> None:
    page.wait_for_selector(f'body[data-findings="{expected}"]', timeout=patience)


def choose(page: Page, isa: str, name: str) -> None:
    """Open an example and wait for its findings."""
    page.select_option("#sets", isa)
    page.evaluate("delete document.body.dataset.findings")
    page.select_option("#programs", name)
    page.wait_for_selector("body[data-findings]", timeout=PATIENCE_MS)


def type_at_the_end(page: Page, text: str) -> None:
    page.click(".cm-content")
    page.keyboard.press("Control+End")
    page.keyboard.type(text)


def test_what_a_visitor_is_sent_fits(built: Path) -> None:
    sent = {path.name: path.stat().st_size for path in built.iterdir()}
    assert sum(sent.values()) < MAX_BYTES_SENT, sent


def test_a_finding_is_shown_and_fixed_and_the_link_has_the_text(
    browser: Browser, page: Page
) -> None:
    choose(page, "ipu", "elementwise_multiply.s")
    type_at_the_end(page, "acc.frist;;")
    await_findings(page, "1 errors, 0 warnings")
    assert "acc.frist" in page.inner_text("#findings")
    page.wait_for_selector(".cm-lintRange-error", timeout=PATIENCE_MS)
    page.click(".finding .fix")
    await_findings(page, "0 errors, 1 warnings")
    assert "W102" in page.inner_text("#findings")
    text = page.evaluate("document.querySelector('.cm-content').innerText")
    assert "acc.first;;" in text
    page.click("#share")
    page.wait_for_function("location.hash.startsWith('#1.')")
    link = page.evaluate("location.href")
    other = browser.new_page()
    other.goto(link)
    await_findings(other, "0 errors, 1 warnings", PATIENCE_WITH_THE_START_MS)
    assert other.input_value("#programs") == "elementwise_multiply.s"
    other.click(".cm-content")
    other.keyboard.press("Control+End")
    other.wait_for_function(
        "document.querySelector('.cm-content').innerText.includes('acc.first;;')"
    )
    other.close()


def test_a_run_stops_steps_back_and_shows_a_vector(page: Page) -> None:
    choose(page, "ipu", "fully_connected.s")
    page.click("#tab-run")
    page.wait_for_selector(".inputs input")
    page.click("#do-step")
    page.wait_for_selector("#reason:has-text('Cycle 1:')")
    page.click("#do-step")
    page.wait_for_selector("#reason:has-text('Cycle 2:')")
    assert page.inner_text('[data-register="lr5"]') == "lr5 1152"
    page.click("#do-back")
    page.wait_for_selector("#reason:has-text('Cycle 1:')")
    assert page.inner_text('[data-register="lr5"]') == "lr5 0"
    page.click("#do-run")
    page.wait_for_selector("#reason:has-text('the program has ended')")
    assert page.inner_text("#reason").startswith("Cycle 1,304")
    page.click("#do-back")
    page.wait_for_selector("#reason:has-text('Cycle 1,303')")
    page.click('[data-vector="r_acc"] summary')
    numbers = page.inner_text('[data-vector="r_acc"] .code').split()
    assert len(numbers) == 128
    assert any(number != "0" for number in numbers)
    page.click("#do-restart")
    page.wait_for_selector("#reason:has-text('Cycle 0:')")


RUNNABLE = sorted(
    path.relative_to(ROOT / "examples").as_posix()
    for pattern in ("*.s", "*.asm", "ipu2/*.s")
    for path in (ROOT / "examples").glob(pattern)
)


@pytest.mark.parametrize("name", RUNNABLE)
def test_a_run_leaves_in_memory_what_is_expected(page: Page, name: str) -> None:
    choose(page, "ipu2" if name.startswith("ipu2") else "ipu", name)
    page.click("#tab-run")
    page.wait_for_selector(".inputs input")
    page.click("#do-run")
    page.wait_for_selector("#reason:has-text('the program has ended')", timeout=PATIENCE_MS)
    page.wait_for_selector(".expected")
    for text in page.locator(".expected").all_inner_texts():
        assert ": as expected, " in text, text


def test_a_fault_names_the_bundle_and_its_registers(page: Page) -> None:
    choose(page, "ipu", "")
    type_at_the_end(page, "set lr0 -128;;\nldr_mult_reg r0 lr0 cr0;;\nbkpt;;\n")
    page.wait_for_timeout(1500)
    page.click("#tab-run")
    page.click("#do-run")
    page.wait_for_selector("#reason.fault")
    assert "`ldr_mult_reg r0 lr0 cr0`" in page.inner_text("#reason")
    assert "lr0 = 0xffffff80" in page.inner_text("#reason")


def test_every_view_shows_the_program(page: Page) -> None:
    choose(page, "ipu", "fully_connected.s")
    for view, expected in (
        ("listing", "0x"),
        ("slots", "ldr_mult_reg"),
        ("memory", "1,304 cycles"),
        ("expansion", "ldr_mult_reg"),
    ):
        page.click(f"#tab-{view}")
        page.wait_for_selector(f"#{view}:has-text('{expected}')", timeout=PATIENCE_MS)
    page.click("#tab-cycles")
    report = page.frame_locator("#cycles iframe")
    report.locator("text=1,304").first.wait_for(timeout=PATIENCE_MS)
    page.click("#tab-listing")
    page.locator("#listing button.line", has_text="bkpt").click()
    page.wait_for_selector("#listing .current:has-text('bkpt')")


def test_two_versions_are_compared(page: Page) -> None:
    choose(page, "ipu", "fully_connected.s")
    page.click("#tab-cycles")
    page.click("#keep")
    page.wait_for_selector("#difference:has-text('cycles: 1,304, no change')")
    type_at_the_end(page, "acc;;")
    page.wait_for_selector("#difference:has-text('bundles: 7 -> 8')", timeout=PATIENCE_MS)
    page.click("text=Forget A")
    page.wait_for_selector("#difference", state="detached")


def test_hover_completion_and_colours_come_from_the_server(page: Page) -> None:
    choose(page, "xdna1", "xdna1/add_int16.aie2")
    page.click("#tab-findings")
    page.wait_for_selector(".tok-function", timeout=PATIENCE_MS)
    page.locator(".cm-line .tok-function").first.hover()
    page.wait_for_selector(".cm-tooltip-hover", timeout=PATIENCE_MS)
    choose(page, "ipu", "")
    type_at_the_end(page, "rese")
    page.keyboard.press("Control+Space")
    page.wait_for_selector(".cm-tooltip-autocomplete:has-text('reset_acc')", timeout=PATIENCE_MS)


def test_the_page_works_by_keys_alone_and_on_a_narrow_screen_in_both_themes(page: Page) -> None:
    choose(page, "ipu", "fully_connected.s")
    page.click("#tab-findings")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector('#tab-run[aria-selected="true"]')
    page.focus(".cm-content")
    page.keyboard.press("F10")
    page.wait_for_selector("#reason:has-text('Cycle 1:')")
    page.keyboard.press("Shift+F10")
    page.wait_for_selector("#reason:has-text('Cycle 0:')")
    page.set_viewport_size({"width": 400, "height": 800})
    for _ in range(2):
        page.click("#theme")
        assert not page.evaluate(WIDER_THAN_THE_WINDOW)
    page.set_viewport_size({"width": 1280, "height": 800})


def messages() -> Iterator[Json]:
    """Every example, and mutants of them, with a question about each."""
    examples = json.loads((DIST / "examples.json").read_text(encoding="utf-8"))
    languages = {each["name"]: each["language"] for each in examples["sets"]}
    programs = [(each["name"], each["isa"], each["text"]) for each in examples["examples"]]
    chance = random.Random(34)
    alike = {isa: [text for _, other, text in programs if other == isa] for isa in languages}
    for number in range(MUTANTS):
        name, isa, text = programs[number % len(programs)]
        programs.append((f"{number}-{Path(name).name}", isa, mutated(chance, text, alike[isa])))
    yield INITIALIZE
    yield {"method": "initialized", "params": {}}
    # Which characters can be shown depends on the version of Unicode that a Python knows.
    known = [each for each in programs if "Cn" not in set(map(unicodedata.category, each[2]))]
    assert len(known) > MUTANTS
    for number, (name, isa, text) in enumerate(known, 1):
        uri = f"file:///nowhere/{isa}/{name}"
        yield opened(uri, text, languages[isa])
        identifier = {"textDocument": {"uri": uri}}
        yield {"id": number, "method": "ipu/listing", "params": identifier}
        yield {"method": "textDocument/didClose", "params": identifier}


def said_here(bodies: Sequence[str]) -> list[str]:
    """What the server says in this interpreter."""
    said: list[str] = []
    server = LspServer()
    server.protocol.write = lambda data: said.append(data.partition(b"\r\n\r\n")[2].decode())
    for body in bodies:
        server.feed(body.encode())
        while server.pump():
            pass
    return said


def test_findings_and_words_of_examples_and_mutants_are_those_of_cpython(built: Path) -> None:
    bodies = [json.dumps({"jsonrpc": "2.0", **message}) for message in messages()]
    done = subprocess.run(
        ["node", "talk.mjs"],
        cwd=PLAYGROUND,
        input="\n".join(bodies),
        capture_output=True,
        text=True,
        check=True,
    )
    here, there = said_here(bodies), done.stdout.removesuffix("\n").split("\n")
    assert len(here) > 2 * MUTANTS
    assert sum('"result"' in each for each in here) > MUTANTS
    assert [each for each in zip(here, there) if each[0] != each[1]] == []
    assert len(here) == len(there)
