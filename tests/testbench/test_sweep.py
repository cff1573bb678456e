"""Sweeps: what goes in, what comes out, and what becomes of failures."""

from __future__ import annotations

import shlex
import subprocess
import sys
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from itertools import count, islice
from pathlib import Path
from typing import Any, Callable, Mapping

import numpy as np
import pytest

from examples.apps.sweep_layer import run as run_example
from ipu_asm.cli.run.command import main
from ipu_asm.flow.assertions import checks
from ipu_asm.program.program import Program
from ipu_asm.testbench import Bench, KernelWarning, SweepResults, sweep
from tests.testbench.sweep_functions import check_even, set_up

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
LAYER = EXAMPLES / "fully_connected.s"
WEIGHTS = np.fromfile(EXAMPLES / "data" / "weights.bin", np.int8).reshape(128, 128)
COMMON = {"cr0": 0, "cr1": 0x20000, "cr2": 0x40000, 0x20000: WEIGHTS}
OUTPUTS = {"y": (0x40000, (10, 64), np.int32)}

KERNEL = """\
# lr1 = 9 loops, lr1 < 0 faults
    set lr2 9; set lr3 0;;
loop:
    beq lr1 lr2 loop;;
    blt lr1 lr3 fault;;
    incr lr0 1; bkpt;;
fault:
    str_acc_reg lr1 cr0; bkpt;;
"""


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    """A kernel that halts, faults or loops, as its input says."""
    path = tmp_path / "k.s"
    path.write_text(KERNEL)
    return path


def check_layer(count: int, executor: Executor | None = None, chunk: int = 3) -> SweepResults:
    """The layer of some drawn inputs equals that of numpy."""
    inputs = np.random.default_rng(1).integers(-128, 128, (count, 10, 128), np.int8)
    found = sweep(LAYER, {0: inputs}, executor, chunk, common=COMMON, outputs=OUTPUTS).collect()
    expected = inputs.astype(np.int32) @ WEIGHTS.astype(np.int32)[:, :64]
    np.testing.assert_array_equal(found.arrays["y"], expected)
    assert found.cycles.tolist() == [1_304] * count
    assert found.indices.tolist() == list(range(count))
    return found


def test_a_sweep_runs_here_without_an_executor() -> None:
    found = check_layer(4)
    assert repr(found) == "<SweepResults: 0 of 4 inputs failed; y (4, 10, 64)>"
    assert found.csv() == "index,cycles,error\n" + "".join(f"{n},1304,\n" for n in range(4))


def test_processes_and_threads_give_the_same() -> None:
    with ProcessPoolExecutor(2) as executor:
        check_layer(7, executor)
        check_layer(2, executor, 64)
    with ThreadPoolExecutor(2) as threads:
        check_layer(7, threads, 2)


class Forgetful(Executor):
    """An executor with a new worker for each chunk, which has not had the job of the sweep."""

    def __init__(self) -> None:
        self._max_workers = 1
        self.sent: list[bool] = []

    def submit(self, fn: Any, /, *args: Any, **_: Any) -> Future[Any]:
        name, job, *rest = args
        self.sent.append(job is not None)
        done: Future[Any] = Future()
        done.set_result(fn(f"{name} {len(self.sent)}", job, *rest))
        return done


def test_a_job_is_sent_until_a_worker_has_it_and_again_to_one_that_has_not() -> None:
    executor = Forgetful()
    check_layer(10, executor, 2)
    assert executor.sent == [True, True, True, True, False, True]


def test_the_executor_of_a_dask_client_gives_the_same() -> None:
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client:
        check_layer(7, client.get_executor())


def test_inputs_set_registers_and_outputs_read_them(kernel: Path) -> None:
    vectors = np.arange(256, dtype=np.int8).reshape(2, 128)
    inputs = {"lr1": [3, 4], "r0": vectors}
    outputs = {"all": "lr", "one": "lr1", "r": "r", "r0": "r0"}
    found = sweep(kernel, inputs, outputs=outputs, dtype="int8").collect()
    assert found.arrays["one"].tolist() == [3, 4]
    assert found.arrays["all"][:, :3].tolist() == [[1, 3, 9], [1, 4, 9]]
    assert found.arrays["r"].shape == (2, 2, 128)
    np.testing.assert_array_equal(found.arrays["r0"], vectors)


def test_functions_set_up_and_check_on_workers(kernel: Path) -> None:
    with ProcessPoolExecutor(1) as executor:
        results = list(
            sweep(
                kernel, range(4), executor, setup=set_up, check=check_even, outputs={"acc": "r_acc"}
            )
        )
    assert [result.error for result in results] == [None, "1 is odd", None, "3 is odd"]
    assert [result.input for result in results] == [0, 1, 2, 3]


def test_failures_keep_their_inputs_and_a_command_repeats_them(
    kernel: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    found = sweep(
        "k.s", ({"lr1": n} for n in (1, 9, -1)), max_cycles=500, failures="bad", chunk=2
    ).collect()
    assert (found.count, found.indices.tolist()) == (3, [0])
    endless, fault = found.failures
    assert endless.error == "the program did not halt within 500 cycles; bundle 1 is next"
    assert fault.error is not None
    assert fault.error.startswith("bundle 4 (line 8), cycle 3, slot xmem, `str_acc_reg lr1 cr0`: ")
    assert fault.input == {"lr1": -1}
    for failure, said in ((endless, "within 500 cycles"), (fault, "--> k.s:8:5")):
        program, *arguments = shlex.split(failure.command)
        assert program == "ipu-run"
        assert main(arguments) == 1
        assert said in capsys.readouterr().err
    assert [row["error"] != "" for row in found.table()] == [False, True, True]


def test_the_command_has_the_limit_of_the_sweep_and_no_assertions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("k.s").write_text(f"# ASSERT lr1 in 0..3\n{KERNEL}")
    found = sweep("k.s", [{"lr1": 9}], failures="bad", assertions=False).collect()
    failure = found.failures[0]
    assert failure.error is not None
    assert "1,000,000 cycles" in failure.error
    assert main(shlex.split(failure.command)[1:]) == 1
    assert "1,000,000 cycles" in capsys.readouterr().err


ASSERTING = """\
    incr lr1 1;;        # ASSERT lr1 != 3
    ldr_mult_reg r0 lr2 cr0;;
    bkpt;;              # ASSERT r0[0] != 7, lr1 >= 0
"""


def test_inputs_with_an_assertion_that_does_not_hold_are_failures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "asserting.s"
    path.write_text(ASSERTING)
    rows = np.arange(0, 1024, 128).repeat(128).reshape(8, 128).astype(np.int8)
    rows[5] = 7
    inputs = {0: rows, "lr1": list(range(8))}
    found = sweep(path, inputs, failures=tmp_path / "failed").collect()
    assert [(each.number, each.error) for each in found.failures] == [
        (3, "`lr1 != 3` must hold before each execution, found lr1 = 3"),
        (5, "`r0[0] != 7` must hold before bundle 2 (line 3), found r0[0] = 7"),
    ]
    assert main(shlex.split(found.failures[1].command)[1:]) == 1
    assert "found r0[0] = 7" in capsys.readouterr().err
    with ProcessPoolExecutor(1) as executor:
        assert len(sweep(path, inputs, executor).collect().failures) == 2
    assert sweep(path, inputs, assertions=False).collect().failures == []


def test_assertions_are_decided_once_for_each_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts: list[Mapping[str, int]] = []
    monkeypatch.setattr(checks, "_decided", recorded(checks._decided, starts))
    path = tmp_path / "asserting.s"
    path.write_text(ASSERTING)
    rows = np.zeros((9, 128), np.int8)
    assert not sweep(path, {0: rows, "lr1": [4, 5, 4, 4, 5, 4, 5, 5, 4]}).collect().failures
    assert [start["lr1"] for start in starts] == [4, 5]
    bench = Bench()
    bench.load(path)
    for aaq in range(4):  # decides nothing
        bench.lr[1], bench.aaq[0] = 9, aaq
        bench.run()
    assert len(starts) == 3
    bench.lr[1] = 3
    with pytest.raises(AssertionError, match="found lr1 = 3"):
        bench.run()


def recorded(
    function: Callable[[Program, Mapping[str, int]], checks.Decided],
    starts: list[Mapping[str, int]],
) -> Callable[[Program, Mapping[str, int]], checks.Decided]:
    """A function that notes with which registers it is called."""

    def called(program: Program, presets: Mapping[str, int]) -> checks.Decided:
        starts.append(presets)
        return function(program, presets)

    return called


def test_a_machine_is_as_new_for_every_input(kernel: Path) -> None:
    inputs = [{"lr0": 5, 0x100: np.ones(4, np.int8)}, {"lr1": -1}, {}]
    outputs = {"lr0": "lr0", "memory": (0x100, 4, np.int8)}
    results = list(sweep(kernel, inputs, outputs=outputs))
    assert results[0].outputs["lr0"] == 6
    assert results[2].outputs["lr0"] == 1
    assert not results[2].outputs["memory"].any()


def test_inputs_may_be_endless_and_progress_is_told(kernel: Path) -> None:
    told: list[tuple[int, int | None, int]] = []
    endless = ({"lr1": -(number % 2)} for number in count())
    with ThreadPoolExecutor(2) as executor:
        results = sweep(kernel, endless, executor, 2, progress=lambda *each: told.append(each))
        assert [result.is_ok for result in islice(results, 5)] == [True, False] * 2 + [True]
    assert told == [(1, None, 0), (2, None, 1), (3, None, 1), (4, None, 2), (5, None, 2)]


def test_chunks_that_nobody_waits_for_are_cancelled(kernel: Path) -> None:
    class Hesitant(Executor):
        """Runs the first chunk, and never begins another."""

        def __init__(self) -> None:
            self.futures: list[Future[Any]] = []

        def submit(self, function: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
            future: Future[Any] = Future()
            if not self.futures:
                future.set_result(function(*arguments))
            self.futures.append(future)
            return future

    executor = Hesitant()
    results = sweep(kernel, ({"lr1": n} for n in range(500)), executor, 1)
    assert next(results).is_ok
    results.close()
    assert all(future.cancelled() for future in executor.futures[1:])
    assert 1 < len(executor.futures) < 100


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (
            {"r9": np.zeros(4, np.int8)},
            AttributeError,
            "a register is one of lr, cr, aaq, r, .*`r9`",
        ),
        ({"lr16": 0}, IndexError, "`lr` has registers 0 to 15, found 16"),
        ({0: [1, 2]}, TypeError, "a numpy array or bytes, found list"),
        ({1 << 21: np.zeros(4, np.int8)}, IndexError, "within the 0x200000 bytes"),
    ],
)
def test_inputs_that_no_machine_takes_are_mistakes_of_the_sweep(
    kernel: Path, value: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as raised:
        list(sweep(kernel, [{}, value]))
    assert raised.value.__notes__ == ["in input 1 of the sweep"]


def test_wrong_arguments_are_refused_before_anything_runs(kernel: Path) -> None:
    with pytest.raises(ValueError, match="one length, found 2 and 3"):
        sweep(kernel, {"lr0": [1, 2], "lr1": [1, 2, 3]})
    with pytest.raises(ValueError, match="`chunk` is at least 1, found 0"):
        sweep(kernel, [], chunk=0)
    with pytest.raises(ValueError, match="found `wide`"):
        sweep(kernel, [], wide="fp32")
    with pytest.raises(FileNotFoundError):
        sweep("nothing.s", [])
    with (
        ProcessPoolExecutor(1) as executor,
        pytest.raises(TypeError, match="import `setup` and `check` from their module, found"),
    ):
        next(sweep(kernel, [{}], executor, setup=lambda bench, value: None))


def test_a_kernel_that_runs_off_its_end_is_told_once(kernel: Path) -> None:
    kernel.write_text("acc;;")
    with pytest.warns(KernelWarning, match="in input 0 of the sweep") as caught:
        list(sweep(kernel, [{}, {}]))
    assert len(caught) == 1


def test_the_example_compares_every_result(capsys: pytest.CaptureFixture[str]) -> None:
    with ThreadPoolExecutor(1) as executor:
        run_example(3, executor)
    assert capsys.readouterr().out.startswith("3 runs, 0 failed, ")


def test_the_other_ipu_is_swept_in_its_modes(tmp_path: Path) -> None:
    (tmp_path / "k.s").write_text("# isa: ipu2\nINC lr1 3;;\nBKPT;;\n")
    found = sweep(
        tmp_path / "k.s", {"lr1": [1, 2]}, outputs={"n": "lr1", "w": "r_wide"}, wide="fp32"
    ).collect()
    assert found.arrays["n"].tolist() == [4, 5]
    assert found.arrays["w"].dtype == np.float32


def test_dask_is_loaded_by_those_who_use_it_alone() -> None:
    code = "import sys\nfrom ipu_asm.testbench import sweep\nprint('dask' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
