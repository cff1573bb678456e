"""Golden files: when they are written, what is said without them, and what they are worth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ipu_asm.testbench.golden import GoldenFiles

ROOT = Path(__file__).resolve().parents[2]
COMMAND = "pytest 'test_k.py::test_it[a/b]' --update-golden"
KINDS = [np.int8, np.uint8, np.int32, np.float32, np.dtype(">i4"), bool]
FLOATS = [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2]

pytest_plugins = ["pytester"]


def golden(folder: Path, *, is_updating: bool = False, test: str = "test_it[a/b]") -> GoldenFiles:
    """The golden files of a test in a run."""
    return GoldenFiles(folder / "test_k.py", test, COMMAND, is_updating)


def check_refused(files: GoldenFiles, array: Any, *lines: str) -> None:
    """An array is refused; all that is said has these lines somewhere, the command last."""
    with pytest.raises(AssertionError) as raised:
        files.check(array, "x")
    said = "\n".join([str(raised.value), *getattr(raised.value, "__notes__", [])])
    for line in lines:
        assert line in said
    assert said.endswith(f"if what was found is right, write it with: {COMMAND}")


@pytest.mark.parametrize("kind", [*KINDS, *FLOATS])
@pytest.mark.parametrize("shape", [(), (5,), (2, 3, 4)])
def test_an_array_that_was_written_is_found_again_to_the_bit(
    tmp_path: Path, kind: Any, shape: tuple[int, ...]
) -> None:
    array = np.arange(np.prod(shape)).astype(kind).reshape(shape)
    golden(tmp_path, is_updating=True).check(array, "x")
    golden(tmp_path).check(array, "x")
    golden(tmp_path).check(array.copy(order="F"), "x")
    changed = array.copy()
    changed.reshape(-1)[-1] = 0 if changed.reshape(-1)[-1] else 1
    check_refused(golden(tmp_path), changed, "expected is the golden file `")


def test_files_are_written_on_request_only_and_only_if_they_differ(tmp_path: Path) -> None:
    check_refused(golden(tmp_path), np.ones(3), "there is no golden file `")
    assert not list(tmp_path.iterdir())
    files = golden(tmp_path, is_updating=True)
    files.check(np.ones(3, np.int8), "x")
    assert files.written == [str(files.path("x"))]
    before = files.path("x").stat()
    again = golden(tmp_path, is_updating=True)
    again.check(np.ones(3, np.int8), "x")
    assert again.written == []
    check_refused(golden(tmp_path), np.zeros(3, np.int8), "element 0: expected 1", "3 of 3")
    assert files.path("x").stat() == before
    assert [path.name for path in files.path("x").parent.iterdir()] == [files.path("x").name]


def test_a_file_of_another_shape_or_type_or_of_none_is_named(tmp_path: Path) -> None:
    golden(tmp_path, is_updating=True).check(np.zeros(3, np.int8), "x")
    check_refused(golden(tmp_path), np.zeros(4, np.int8), "the shapes differ: expected (3,)")
    check_refused(golden(tmp_path), np.zeros(3, np.int32), "the types differ: expected int8")
    golden(tmp_path).path("x").write_bytes(b"no array")
    check_refused(golden(tmp_path), np.zeros(3, np.int8), "cannot be read: expected a .npy file")
    np.save(golden(tmp_path).path("x"), np.array([{}]), allow_pickle=True)
    check_refused(golden(tmp_path), np.zeros(3, np.int8), "cannot be read: expected an array of")
    golden(tmp_path).path("x").unlink()
    golden(tmp_path).path("x").mkdir()
    check_refused(golden(tmp_path), np.zeros(3, np.int8), "cannot be read: is a directory")


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "golden").touch()
    files = golden(tmp_path, is_updating=True)
    with pytest.raises(AssertionError) as raised:
        files.check(np.zeros(3, np.int8), "x")
    name = f"the golden file `{files.path('x')}`"
    assert str(raised.value) == f"{name} cannot be written: not a directory"
    assert files.written == []


def test_different_tests_and_names_have_different_files(tmp_path: Path) -> None:
    tests = ["test_a", "test_a[1]", "test_a[/]", "test_a[:]", "T::test_a", "T.test_a"]
    tests += ["test_A", "test_a" * 99]
    tests += ["test_a" * 98 + "b", "test_ü"]
    paths = {golden(tmp_path, test=test).path(name) for test in tests for name in ("", "x", "y/z")}
    assert len({str(path).lower() for path in paths}) == 3 * len(tests)
    assert {path.parent for path in paths} == {tmp_path / "golden" / "test_k"}
    assert all(len(path.name) < 140 for path in paths)


def test_a_name_is_used_once_in_a_test(tmp_path: Path) -> None:
    files = golden(tmp_path, is_updating=True)
    files.check(np.zeros(3))
    with pytest.raises(ValueError, match="checked once in a test"):
        files.check(np.ones(3))


def test_workers_of_xdist_write_all_files_and_the_summary_names_them(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(
        test_k="""
        import numpy as np, pytest

        @pytest.mark.parametrize("n", range(4))
        def test_it(ipu_golden, n):
            ipu_golden.check(np.full(4, n))
        """
    )
    plugins = ("-p", "ipu_asm.testbench.pytest_plugin", "-p", "no:cacheprovider")
    plain = pytester.runpytest_subprocess(*plugins)
    plain.assert_outcomes(failed=4)
    plain.stdout.fnmatch_lines(
        ["E*write it with: pytest 'test_k.py::test_it[[]3]' --update-golden"]
    )
    assert not (pytester.path / "golden").exists()
    updated = pytester.runpytest_subprocess(
        *plugins, "-p", "xdist.plugin", "-n", "2", "--update-golden"
    )
    updated.assert_outcomes(passed=4)
    names = [f"golden/test_k/test_it[[]{n}].npy" for n in range(4)]
    updated.stdout.fnmatch_lines(["*= golden files written =*", *names], consecutive=True)
    pytester.runpytest_subprocess(*plugins).assert_outcomes(passed=4)
