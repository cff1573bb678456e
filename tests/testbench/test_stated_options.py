"""Options of the host that a kernel or its project states: a bench uses them, as `ipu-run` does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ipu_asm.testbench import Bench, run_test, sweep

KERNEL = "{}\nINC lr0 1;;\nBKPT;;\n"


def kernel_in(folder: Path, comment: str, toml: str = "") -> Path:
    """A kernel with a comment, in a project with a table for it."""
    (folder / "ipu.toml").write_text(f'isa = "ipu2"\n[kernel."*.s"]\n{toml}\n')
    path = folder / "k.s"
    path.write_text(KERNEL.format(comment))
    return path


def modes(bench: Bench) -> tuple[str | None, bool]:
    settings = bench.state.settings
    return settings.wide, settings.quantize


@pytest.mark.parametrize(
    ("comment", "toml", "options", "expected"),
    [
        ("# CR wide = fp32", "", {}, ("fp32", False)),
        ("# CR wide = fp32, quantize = on", "", {}, ("fp32", True)),
        ("", 'wide = "int32"\nquantize = true', {}, ("int32", True)),
        ("# CR wide = fp32", 'wide = "int32"', {}, ("fp32", False)),
        ("# CR wide = fp32", "", {"wide": "int32"}, ("int32", False)),
        ("# CR wide = fp32", "", {"wide": "off"}, (None, False)),
        ("# CR quantize = on", "", {"quantize": False}, (None, False)),
        ("", "", {}, (None, False)),
    ],
)
def test_a_mode_is_what_options_comments_and_the_project_state_in_this_order(
    tmp_path: Path, comment: str, toml: str, options: dict[str, Any], expected: tuple[Any, bool]
) -> None:
    path = kernel_in(tmp_path, comment, toml)
    before, after = Bench(isa="ipu2", **options), Bench()
    before.load(path)
    after.load(path)
    after.configure(**options)
    for bench in (before, after):
        assert modes(bench) == expected
        assert bench.run().cycles == 2
        assert modes(bench) == expected


def test_registers_and_memory_stay_where_a_kernel_states_a_mode() -> None:
    bench = Bench(isa="ipu2")
    bench.lr[3] = 7
    bench.put(0x100, np.arange(4, dtype=np.int32))
    bench.load_text(KERNEL.format("# CR wide = fp32"))
    assert bench.lr[3] == 7
    assert bench.get(0x100, 4, np.int32).tolist() == [0, 1, 2, 3]
    assert bench.word_type == np.float32


def test_the_mode_of_a_kernel_is_not_that_of_the_next_one() -> None:
    bench = Bench(isa="ipu2")
    bench.load_text(KERNEL.format("# CR wide = fp32"))
    bench.load_text(KERNEL.format(""))
    assert modes(bench) == (None, False)


def test_of_several_modes_one_must_be_chosen(tmp_path: Path) -> None:
    path = kernel_in(tmp_path, "# CR wide = fp32 | int32, quantize = on")
    bench = Bench()
    bench.load(path)
    message = "`wide`: the program states several values, fp32, int32; choose one with "
    with pytest.raises(ValueError, match=message + r"`configure\(wide=...\)`"):
        bench.run()
    bench.configure(wide="int32")
    assert bench.run().cycles == 2
    assert modes(bench) == ("int32", True)
    with pytest.raises(ValueError, match=message + "`wide=...`"):
        sweep(path, [{}])


def test_sweeps_and_host_programs_run_in_the_mode_that_the_kernel_states(tmp_path: Path) -> None:
    path = kernel_in(tmp_path, "# CR wide = fp32")
    assert run_test(path).state.settings.wide == "fp32"
    assert sweep(path, [{}], outputs={"acc": "r_acc"}).collect().arrays["acc"].dtype == np.float32
    chosen = sweep(path, [{}], outputs={"acc": "r_acc"}, wide="int32").collect()
    assert chosen.arrays["acc"].dtype == np.int32


@pytest.mark.parametrize(
    ("isa", "options", "name"),
    [("ipu", {"dtype": "fp8_e4m3"}, "dtype"), ("ipu2", {"wide": "fp32"}, "wide")],
)
def test_an_option_of_the_machine_is_none_of_a_run(
    isa: str, options: dict[str, Any], name: str
) -> None:
    bench = Bench(isa=isa)
    bench.load_text("# nothing\nbkpt;;" if isa == "ipu" else KERNEL.format(""))
    message = f"`{name}` belongs to the machine, not to a run: set it with `configure"
    with pytest.raises(ValueError, match=message):
        bench.run(**options)
