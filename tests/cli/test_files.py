"""Finding, reading and replacing files."""

from __future__ import annotations

import os
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from signal import SIGHUP, SIGINT, SIGTERM
from typing import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.config.configuration_file import Configurations
from ipu_asm.config.file_writing import Output, replace_file, replace_files, rewrite_file
from ipu_asm.config.files import FileError, Target, input_at, read_bytes, read_text
from ipu_asm.config.globs import find_targets


def check_targets(paths: list[str], *names: str, problems: tuple[str, ...] = ()) -> None:
    """The names of the files that paths stand for, and what is said of the paths."""
    said: list[str] = []
    found = find_targets(paths, "<stdin>", lambda problem: said.append(str(problem)))
    assert ([target.name for target in found], said) == (list(names), list(problems))


def touch(*names: str) -> None:
    """Empty files."""
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()


def test_all_extensions_of_all_sets_are_sources() -> None:
    names = [f"a.{end}" for end in ("S", "aie", "aie2", "aie2p", "asm", "edgenpu", "ipu", "s")]
    touch(*names, "a.txt", "a.c", "s")
    check_targets(["."], *names)


def test_folders_behind_links_are_not_searched_but_files_behind_links_are_read() -> None:
    touch("real/a.s")
    Path("loop").symlink_to(".")
    Path("b.s").symlink_to("real/a.s")
    check_targets(["."], "b.s", "real/a.s")
    check_targets(["loop"], "loop/b.s", "loop/real/a.s")


def test_one_file_under_two_names_is_one_target() -> None:
    touch("sub/a.s")
    check_targets(["sub/a.s", "./sub/a.s", "sub", os.path.abspath("sub/a.s")], "sub/a.s")


def test_standard_input_is_one_target_however_often_it_is_named() -> None:
    touch("a.s")
    check_targets(["-", "a.s", "-"], "<stdin>", "a.s")


def test_folders_inside_folders_that_are_skipped_are_skipped() -> None:
    touch("node_modules/x/a.s", "__pycache__/a.s", ".git/a.s", "sub/.venv/lib/a.s")
    check_targets(["."], problems=(".: no source files in this folder",))


def test_a_name_that_cannot_be_is_told_when_it_is_read() -> None:
    check_targets(["a\0.s"], "a\0.s")
    with pytest.raises(FileError, match="embedded null byte"):
        read_text(Target("a\0.s"))


@given(st.binary())
def test_what_is_read_is_written_back_byte_by_byte(data: bytes) -> None:
    path = Path("a.s")
    path.write_bytes(data)
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        with pytest.raises(FileError, match=r"a\.s: expected UTF-8, found UTF-16"):
            read_text(Target("a.s"))
        return
    written = read_text(Target("a.s"))
    replace_file("a.s", written.encoded(written.text))
    assert path.read_bytes() == data


def test_a_new_file_gets_the_usual_mode() -> None:
    replace_file("a.bin", b"1")
    Path("b.bin").touch()
    assert Path("a.bin").stat().st_mode == Path("b.bin").stat().st_mode


def test_a_link_to_nowhere_gets_its_file() -> None:
    Path("link").symlink_to("real")
    replace_file("link", b"1")
    assert Path("link").is_symlink()
    assert Path("real").read_bytes() == b"1"


def test_a_failure_leaves_the_file_and_no_draft(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(1, "Operation not permitted")

    Path("a.bin").write_bytes(b"old")
    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(FileError, match=r"^a\.bin: operation not permitted$"):
        replace_file("a.bin", b"new")
    assert os.listdir() == ["a.bin"]
    assert Path("a.bin").read_bytes() == b"old"


def test_a_second_output_that_fails_takes_the_first_back(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.bin").write_bytes(b"old")
    Path("readonly").write_bytes(b"old")
    Path("readonly").chmod(0o444)
    for second in ("readonly", "none/b.bin", "/dev/full"):
        outputs = [Output("a.bin", b"new"), Output("fresh", b"new"), Output(second, b"new")]
        with pytest.raises(FileError, match=f"^{second}: "):
            replace_files(outputs)
        assert sorted(os.listdir()) == ["a.bin", "readonly"]
        assert Path("a.bin").read_bytes() == Path("readonly").read_bytes() == b"old"
    replace_files([Output("a.bin", b"new"), Output("fresh", b"new")])
    assert sorted(os.listdir()) == ["a.bin", "fresh", "readonly"]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_old_and_new_never_mix_whichever_step_of_several_outputs_is_interrupted(
    monkeypatch: pytest.MonkeyPatch, when: str, error: type[BaseException]
) -> None:
    names = ("a.bin", "b.bin", "fresh", "z.bin")
    outputs = [Output(name, b"new") for name in names]
    originals = {name: getattr(os, name) for name in ("open", "chmod", "replace", "unlink")}
    step = ends = 0
    while True:
        for name in names:
            Path(name).unlink(missing_ok=True)
            if name != "fresh":
                Path(name).write_bytes(b"old")
        left = step

        def interrupted(name: str, *arguments: object, **options: object) -> object:
            nonlocal left
            left -= 1
            if left == -1 and when == "before":
                raise error(1, "stopped")
            result = originals[name](*arguments, **options)
            if left == -1 and name != "open":  # an opened file would stay open
                raise error(1, "stopped")
            return result

        with monkeypatch.context() as patch:
            for name in originals:
                patch.setattr(os, name, partial(interrupted, name))
            with suppress(error, FileError):
                replace_files(outputs)
        found = {path.name: path.read_bytes() for path in Path().iterdir()}
        beside = [name for name in found if name not in names]
        contents = {name: found.get(name, b"") for name in names}
        old = {"a.bin": b"old", "b.bin": b"old", "fresh": b"", "z.bin": b"old"}
        assert contents in (old, dict.fromkeys(names, b"new")), f"step {step}"
        assert len(beside) <= (when == "before"), f"step {step}: {beside}"
        for name in beside:  # of a removal that was itself interrupted
            Path(name).unlink()
        ends += contents == old
        if left >= 0:
            break
        step += 1
    assert step > ends > 5


@pytest.fixture
def ended() -> Iterator[list[int]]:
    """Signals that came to the handlers of the process."""
    came: list[int] = []
    before = {n: signal.signal(n, lambda n, _: came.append(n)) for n in (SIGINT, SIGTERM, SIGHUP)}
    yield came
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [SIGINT, SIGTERM, SIGHUP])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("open", b"old"),
        ("chmod", b"old"),
        ("link", b"new"),
        ("replace", b"new"),
        ("unlink", b"new"),
    ],
)
def test_a_signal_waits_until_all_outputs_are_old_or_new(
    monkeypatch: pytest.MonkeyPatch, ended: list[int], number: int, name: str, content: bytes
) -> None:
    original = getattr(os, name)

    def signalled(*arguments: object, **options: object) -> object:
        signal.raise_signal(number)
        assert ended == []
        return original(*arguments, **options)

    names = ("a.bin", "b.bin")
    for each in names:
        Path(each).write_bytes(b"old")
    with monkeypatch.context() as patch, suppress(FileError):
        patch.setattr(os, name, signalled)
        replace_files([Output(each, b"new") for each in names])
    assert ended == [number]
    found = {path.name: path.read_bytes() for path in Path().iterdir()}
    assert found == dict.fromkeys(names, content)


def test_a_pipe_is_written_to_if_something_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo("pipe.bin")
    outputs = [Output("a.bin", b"new"), Output("pipe.bin", b"x" * 200_000)]
    reader = subprocess.Popen(["sh", "-c", "exec wc -c < pipe.bin"], stdout=subprocess.PIPE)
    replace_files(outputs)
    assert reader.communicate()[0].strip() == b"200000"
    monkeypatch.setattr("ipu_asm.config.file_writing.PIPE_TIMEOUT_S", 0)
    with pytest.raises(FileError, match=r"^pipe\.bin: a pipe that nothing reads$"):
        replace_files(outputs)


def test_a_signal_ends_the_wait_for_a_pipe_without_a_trace(
    monkeypatch: pytest.MonkeyPatch, ended: list[int]
) -> None:
    os.mkfifo("pipe.bin")
    monkeypatch.setattr("time.sleep", lambda _: signal.raise_signal(SIGTERM))
    with pytest.raises(FileError, match=r"^interrupted: nothing written$"):
        replace_files([Output("a.bin", b"new"), Output("pipe.bin", b"new")])
    assert (ended, os.listdir()) == ([SIGTERM], ["pipe.bin"])


@pytest.mark.parametrize("new", [b"", b"new", b"new and longer"])
def test_a_rewritten_file_is_the_same_file(new: bytes) -> None:
    Path("a.s").write_bytes(b"the old")
    Path("a.s").chmod(0o640)
    Path("hard.s").hardlink_to("a.s")
    before = os.stat("a.s")
    assert rewrite_file("a.s", b"the old", new)
    after = os.stat("a.s")
    for field in ("st_ino", "st_dev", "st_mode", "st_uid", "st_gid", "st_nlink"):
        assert getattr(after, field) == getattr(before, field)
    assert Path("hard.s").read_bytes() == new
    assert not rewrite_file("hard.s", b"the old", new)
    assert sorted(os.listdir()) == ["a.s", "hard.s"]


def check_not_rewritten(message: str, old: bytes = b"old", path: str = "a.s") -> None:
    """Rewriting `old` is refused with this message, and leaves everything as it was."""
    before = {name: Path(name).read_bytes() for name in os.listdir() if Path(name).is_file()}
    with pytest.raises(FileError) as caught:
        rewrite_file(path, old, b"longer than before")
    assert str(caught.value) == message
    after = {name: Path(name).read_bytes() for name in os.listdir() if Path(name).is_file()}
    assert after == before


def test_a_file_that_must_not_be_rewritten_stays() -> None:
    Path("a.s").write_bytes(b"old")
    check_not_rewritten("a.s: changed since it was read: nothing written", b"older")
    check_not_rewritten("a.s: changed since it was read: nothing written", b"ol")
    Path("a.s").chmod(0o444)
    # Root could write it, so what is told depends on who runs this.
    reason = "read-only (mode 444): nothing written" if os.geteuid() == 0 else "permission denied"
    check_not_rewritten(f"a.s: {reason}")
    check_not_rewritten("/dev/null: not a regular file: nothing written", path="/dev/null")


def test_a_backup_that_was_left_is_not_overwritten() -> None:
    Path("a.s").write_bytes(b"old")
    backup = Path(".a.s.ipu-backup")
    backup.write_bytes(b"the only copy")
    check_not_rewritten(
        f"a.s: `{backup.resolve()}` is left from a run that was interrupted: nothing written; "
        "compare both files, then remove it"
    )


def check_failing(monkeypatch: pytest.MonkeyPatch, fails: tuple[int, ...], message: str) -> None:
    """The calls of `os.fsync` with these numbers fail: the backup's, the file's, the restoring."""
    Path("a.s").write_bytes(b"old")
    calls = []

    def sync(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) in fails:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", sync)
    check_not_rewritten(message)


def test_a_file_is_restored_where_writing_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    check_failing(monkeypatch, (2,), "a.s: no space left on device")
    assert os.listdir() == ["a.s"]


def test_without_a_backup_nothing_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    backup = Path(".a.s.ipu-backup").absolute()
    message = f"a.s: no backup `{backup}` (no space left on device): nothing written"
    check_failing(monkeypatch, (1,), message)
    assert os.listdir() == ["a.s"]


def test_if_restoring_fails_the_backup_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.s").write_bytes(b"old")
    monkeypatch.setattr("ipu_asm.config.file_writing._overwrite", _always_fail)
    with pytest.raises(FileError, match=r"its content is in `.*/\.a\.s\.ipu-backup`"):
        rewrite_file("a.s", b"old", b"new")
    assert Path(".a.s.ipu-backup").read_bytes() == b"old"


def _always_fail(*_: object) -> None:
    raise OSError(5, "Input/output error")


def test_an_input_is_found_under_all_its_names() -> None:
    touch("a.s", "b.s")
    Path("link").symlink_to("a.s")
    Path("hard").hardlink_to("a.s")
    inputs = [Target("b.s"), Target("none"), Target("a.s")]
    for name in ("a.s", "./a.s", "link", "hard"):
        assert input_at(name, inputs) == Target("a.s")
    for name in ("none", "new", ".", "/dev/null", "a\0b"):
        assert input_at(name, [*inputs, Target(name)]) is None


def test_standard_input_that_is_a_file_is_an_input(monkeypatch: pytest.MonkeyPatch) -> None:
    touch("a.s")
    target = Target("<stdin>", is_standard_input=True)
    with open("a.s") as file:
        monkeypatch.setattr("sys.stdin", file)
        assert input_at("a.s", [target]) == target
    assert input_at("a.s", [target]) is None  # closed
    monkeypatch.setattr("sys.stdin", None)
    assert input_at("a.s", [target]) is None


def test_what_has_no_end_is_refused() -> None:
    for name in ("/dev/zero", "sparse"):
        if name == "sparse":
            with open(name, "wb") as file:
                file.truncate(3 << 30)
        with pytest.raises(FileError, match=f"^{name}: expected at most 9 bytes, found more$"):
            read_bytes(Target(name), 9)


def test_a_pipe_is_read_if_something_writes_to_it() -> None:
    os.mkfifo("pipe.s")
    writer = subprocess.Popen(["sh", "-c", "exec > pipe.s; echo one; echo two"])
    assert read_bytes(Target("pipe.s")) == b"one\ntwo\n"
    writer.wait()


def test_a_pipe_that_nothing_writes_to_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo("pipe.s")
    monkeypatch.setattr("ipu_asm.config.files.PIPE_TIMEOUT_S", 0)
    with pytest.raises(FileError, match=r"^pipe\.s: a pipe that nothing writes to$"):
        read_bytes(Target("pipe.s"))


def test_only_regular_files_are_found_in_folders() -> None:
    touch("a.s")
    os.mkfifo("b.s")
    Path("c.s").symlink_to("/dev/zero")
    Path("d.s").mkdir()
    Path("e.s").symlink_to("b.s")
    check_targets(["."], "a.s")


def test_links_lead_out_of_no_folder_that_is_searched() -> None:
    touch("in/a.s", "out/secret.s", "innocent/b.s")
    Path("in/out.s").symlink_to("../out/secret.s")
    Path("in/near.s").symlink_to("../innocent/b.s")
    Path("in/inside.s").symlink_to("a.s")
    Path("in/broken.s").symlink_to("none.s")
    check_targets(["in"], "in/a.s", "in/broken.s", "in/inside.s")
    check_targets(["in/out.s"], "in/out.s")
    found = ("in/a.s", "in/broken.s", "in/inside.s", "in/near.s", "innocent/b.s")
    check_targets(["in", "innocent"], *found)
    Path("link").symlink_to("in")
    check_targets(["link"], "link/a.s", "link/broken.s", "link/inside.s")


def test_folders_may_be_nested_1200_deep() -> None:
    home = os.getcwd()
    for _ in range(1_200):
        os.mkdir("d")
        os.chdir("d")
    touch("a.s")
    os.chdir(home)
    deepest = "d/" * 1_200
    try:
        check_targets(["."], f"{deepest}a.s")
        assert Configurations().nearest(os.path.abspath(deepest)) is None
    finally:
        subprocess.run(["rm", "-r", "d"], check=True)  # Python's own way is recursive


def test_threads_replace_files_of_one_folder_at_once() -> None:
    def write(name: str) -> None:
        for number in range(50):
            replace_file(name, f"{name}{number}".encode())

    names = [f"out{number}.npy" for number in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, names))
    assert [Path(name).read_text() for name in names] == [f"{name}49" for name in names]
    assert sorted(os.listdir()) == names


def test_what_a_killed_process_left_is_in_nobodys_way(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter([b"used!!", b"used!!", b"free!!"])
    monkeypatch.setattr(os, "urandom", lambda size: next(drawn))
    left = Path(f".ipu-{b'used!!'.hex()}.tmp")
    left.write_bytes(b"half of it")
    replace_file("out.npy", b"all of it")
    assert Path("out.npy").read_bytes() == b"all of it"
    assert left.read_bytes() == b"half of it"
