"""The plugin in runs of pytest as users start them: each in a process of its own."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = "ipu_asm.testbench.pytest_plugin"

pytest_plugins = ["pytester"]

DOUBLE = """
    set lr0 -128; add lr2 lr1 cr0;;
row:
    incr lr0 128; ldr_cyclic_mult_reg lr0 cr1 lr3;
    mult.ve.cr lr3 lr3 lr3 cr4; acc.first; aaq;;
    xmem.store_aaq_result lr0 cr2; bne lr0 lr2 row;;
    bkpt;;
"""
"""Doubles rows of int8: cr0 = offset of the last row, cr1 = in, cr2 = out, cr4 = 2."""

DOUBLED = """
import numpy as np

def test_it_doubles(ipu):
    ipu.load("{kernel}")
    ipu.cr[:] = [128, 0x1000, 0x2000, 0, 2] + [0] * 11
    ipu.put(0x1000, np.arange(-64, 64, dtype=np.int8))
    ipu.put(0x1080, np.full(128, 63, np.int8))
    ipu.run()
    doubled = ipu.get(0x2000, (2, 128), np.int8)
    ipu.assert_bit_exact(doubled[0], np.arange(-128, 128, 2, dtype=np.int8))
    ipu.assert_bit_exact(doubled[1], [{second}] * 128)
"""


@pytest.fixture(autouse=True)
def only_this_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runs have this plugin and no other, whether the project is installed or not."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def check_pytest(
    pytester: pytest.Pytester, test: str, *arguments: str, lines: list[str], **outcomes: int
) -> str:
    """Runs a test file as a user does; the counts of its outcomes and what is on its lines."""
    pytester.makepyfile(test_kernel=test)
    result = pytester.runpytest_subprocess("-p", PLUGIN, "-p", "no:cacheprovider", *arguments)
    result.assert_outcomes(**outcomes)
    result.stdout.fnmatch_lines(lines)
    assert result.ret == (1 if "failed" in outcomes or "errors" in outcomes else 0)
    return result.stdout.str()


def test_pytest_finds_the_plugin_where_the_package_is_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"ipu": PLUGIN}


def test_a_kernel_beside_its_test_is_loaded_run_and_compared(pytester: pytest.Pytester) -> None:
    pytester.path.joinpath("double.s").write_text(DOUBLE)
    test = DOUBLED.format(kernel="double.s", second=126)
    check_pytest(pytester, test, lines=["*1 passed*"], passed=1)


def test_a_kernel_is_found_from_the_root_directory_too(pytester: pytest.Pytester) -> None:
    pytester.mkdir("kernels").joinpath("double.s").write_text(DOUBLE)
    folder = pytester.mkdir("tests")
    test = DOUBLED.format(kernel="kernels/double.s", second=126)
    folder.joinpath("test_deep.py").write_text(test)
    check_pytest(pytester, "", "--rootdir=.", "tests", lines=["*1 passed*"], passed=1)


def test_a_difference_is_shown_with_its_place_and_the_state_of_the_machine(
    pytester: pytest.Pytester,
) -> None:
    pytester.path.joinpath("double.s").write_text(DOUBLE)
    output = check_pytest(
        pytester,
        DOUBLED.format(kernel="double.s", second=125),
        lines=[
            ">       ipu.assert_bit_exact(doubled[[]1], [[]125] * 128)",
            "E       AssertionError: element 0: expected 125 (0x7d), found 126 (0x7e)",
            "E       128 of 128 elements differ",
            "E         element  expected        found        off by",
            "E               0       125  0x7d    126  0x7e      +1",
            "E         and 120 more",
            "*- state of ipu -*",
            "double.s: halted by `bkpt` in bundle 3 (`row+2`, line 7), cycles: 6",
            "lr0 = 128 (0x80), lr2 = 128 (0x80), cr0 = 128 (0x80), cr1 = 4096 (0x1000), *",
            "FAILED *::test_it_doubles - AssertionError: element 0: expected *",
        ],
        failed=1,
    )
    assert "comparison.py" not in output


def test_a_fault_names_the_line_and_shows_it(pytester: pytest.Pytester) -> None:
    pytester.path.joinpath("double.s").write_text(DOUBLE)
    output = check_pytest(
        pytester,
        """
        def test_out_of_memory(ipu):
            ipu.load("double.s")
            ipu.cr[1] = 0x1FFFC0
            ipu.run()
        """,
        lines=[
            ">       ipu.run()",
            "E       *ExecutionFault: bundle 1 (line 4), cycle 1, slot xmem, "
            "`ldr_cyclic_mult_reg lr0 cr1 lr3`: an access must end within the 0x200000 bytes of "
            "xmem, found 128 bytes at 0x1fffc0 (*cr1 = 0x1fffc0*)",
            "E        --> double.s:4:19",
            "E       4 |     incr lr0 128; ldr_cyclic_mult_reg lr0 cr1 lr3;",
            "E         |                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            "test_kernel.py:4: ExecutionFault",
            "*- state of ipu -*",
            "double.s: stopped by a fault",
        ],
        failed=1,
    )
    assert "faults.py" not in output
    assert "site-packages" not in output


def test_mistakes_of_a_kernel_are_all_shown(pytester: pytest.Pytester) -> None:
    output = check_pytest(
        pytester,
        """
        def test_mistakes(ipu):
            ipu.load_text("acc.frist;;\\nset lr99 1;;")
        """,
        lines=[
            "E       *AssemblyError: unknown mnemonic `acc.frist`; did you mean `acc.first`? "
            "(E101) and 1 more",
            "E        --> <kernel>:1:1",
            "E        --> <kernel>:2:5",
            "E       2 | set lr99 1;;",
        ],
        failed=1,
    )
    assert "state of ipu" not in output


def test_every_test_has_a_machine_of_its_own(pytester: pytest.Pytester) -> None:
    test = """
    import pytest

    @pytest.mark.parametrize("number", range(3))
    def test_fresh(ipu, number):
        assert (ipu.lr[0], ipu.kernel, ipu.dtype) == (0, None, "int8")
        ipu.load_text("incr lr0 1; bkpt;;")
        ipu.dtype = "fp8_e4m3"
        assert ipu.run() == (1, 1024, "bkpt", 1)
        assert ipu.lr[0] == 1
    """
    check_pytest(pytester, test, lines=["*3 passed*"], passed=3)


def test_the_machine_of_a_test_is_freed_after_the_test(pytester: pytest.Pytester) -> None:
    test = """
    import weakref
    import pytest

    states = []

    @pytest.mark.parametrize("number", range(3))
    def test_fresh(ipu, number):
        assert [state() for state in states] == [None] * number
        states.append(weakref.ref(ipu.state))
        ipu.load_text("incr lr0 1; bkpt;;")
        ipu.run()
    """
    check_pytest(pytester, test, lines=["*3 passed*"], passed=3)


def test_workers_of_xdist_run_kernels_and_report_their_state(pytester: pytest.Pytester) -> None:
    output = check_pytest(
        pytester,
        """
        import os, pytest

        @pytest.mark.parametrize("number", range(8))
        def test_it_counts(ipu, number):
            assert os.environ["PYTEST_XDIST_WORKER"]
            ipu.load_text("x: incr lr0 1;; blt lr0 lr1 x;; bkpt;;")
            ipu.lr[1] = number
            ipu.run()
            assert ipu.lr[0] == max(number, 1) != 7
        """,
        *("-p", "xdist.plugin", "-n", "2"),
        lines=["*- state of ipu -*", "<kernel>: halted by `bkpt` in bundle 2 (`x+2`, line 1), *"],
        passed=7,
        failed=1,
    )
    assert "2 workers" in output


def test_the_plugin_alone_loads_neither_numpy_nor_the_emulator(pytester: pytest.Pytester) -> None:
    test = """
    import sys

    HEAVY = {"numpy", "ml_dtypes", "ipu_asm.emulator", "ipu_asm.testbench.bench"}

    def test_before():
        assert "ipu_asm.testbench.pytest_plugin" in sys.modules
        assert not HEAVY & set(sys.modules)

    def test_with_the_fixture(ipu):
        assert HEAVY <= set(sys.modules)
    """
    check_pytest(pytester, test, lines=["*2 passed*"], passed=2)


def test_a_missing_numpy_is_named(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(numpy="raise ModuleNotFoundError('no numpy', name='numpy')")
    check_pytest(
        pytester,
        "def test_needs_numpy(ipu): pass",
        lines=["*fixture `ipu` needs numpy and ml_dtypes, found no numpy"],
        errors=1,
    )


def test_the_engine_can_be_chosen(pytester: pytest.Pytester) -> None:
    test = """
def test_engine(ipu):
    ipu.load_text("set lr1 200;; x: incr lr0 1; bne lr0 lr1 x;; bkpt;;")
    assert ipu._engine.value == "numpy"
    assert ipu.run().cycles == 203
"""
    check_pytest(pytester, test, "--ipu-engine=numpy", lines=["*1 passed*"], passed=1)
