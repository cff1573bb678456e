"""A listing as a page: what links where."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

from ipu_asm.cli.assembler.command import main
from tests.cli.commands import run

KERNEL = """\
# copies <rows>
start: set lr0 0;;
loop: incr lr0 1; bne lr0 lr1 loop;;  # back to loop
bkpt;; incr lr1 1;
    b start;;
"""


def test_branches_lead_to_labels_and_addresses_are_targets(tmp_path: Path) -> None:
    (tmp_path / "a.s").write_text(KERNEL)
    command = ["assemble", "--format", "listing", str(tmp_path / "a.s"), "-o"]
    assert run(main, [*command, str(tmp_path / "a.html")]).status == 0
    page = (tmp_path / "a.html").read_text()
    targets = re.findall(r'id="(\w+)"', page)
    assert targets == ["a0", "a1", "a2", "a3"]
    assert set(re.findall(r'href="#(\w+)"', page)) <= set(targets)
    assert 'bne lr0 lr1 <a href="#a1">loop</a>;;' in page
    assert '#</span>     b <a href="#a0">start</a>;;' in page
    assert '<span class="dim">  # back to loop</span>' in page
    assert "copies &lt;rows&gt;" in page
    assert "prefers-color-scheme: dark" in page
    run(main, [*command, str(tmp_path / "a.txt")])
    text = re.sub(r"<[^>]+>", "", page.partition("<pre>\n")[2].partition("\n</pre>")[0])
    assert unescape(text) == (tmp_path / "a.txt").read_text().rstrip()
