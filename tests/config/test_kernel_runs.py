"""What a configuration says a kernel is run with."""

from __future__ import annotations

from pathlib import Path

from ipu_asm.config import KernelRun
from ipu_asm.config.host_configurations import configured_run

TEXT = """\
[kernel."*.s"]
cr = {1 = 0x20000, 4 = [64, 128]}
wide = "fp32"
[kernel."a.s".run]
dtype = "int8"
cr = {4 = -1}
load = ["x.npy@0", "random:7@0x100:16x8:i8"]
"""


def test_a_run_has_the_registers_of_its_own_table_alone(tmp_path: Path) -> None:
    (tmp_path / "ipu.toml").write_text(TEXT)
    found = configured_run(str(tmp_path / "a.s"))
    assert found is not None
    assert found.run == KernelRun(
        {"dtype": "int8"}, {4: 0xFFFF_FFFF}, load=("x.npy@0", "random:7@0x100:16x8:i8")
    )
    assert (found.folder, found.origin) == (str(tmp_path), str(tmp_path / "ipu.toml"))


def test_a_kernel_without_a_run_has_none(tmp_path: Path) -> None:
    (tmp_path / "ipu.toml").write_text(TEXT)
    assert configured_run(str(tmp_path / "b.s")) is None
