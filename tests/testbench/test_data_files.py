"""Arrays in files, and generated data, in and out of the memory of a machine."""

from __future__ import annotations

import hashlib
import io
import pickle
import struct
import tempfile
import tracemalloc
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any, Iterator

import ml_dtypes
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ipu_asm.config.files import FileError
from ipu_asm.emulator.model import machine_for
from ipu_asm.testbench.data.memory import dump_outputs, load_pieces
from ipu_asm.testbench.data.numpy_files import read_piece
from ipu_asm.testbench.data.source import data_of, target_of

PLAIN = ("i1", "u1", "<i4", ">i4", "<u4", "<f4", ">f4")
NAMES = {"i1": "i8", "u1": "u8", "i4": "i32", "u4": "u32", "f4": "f32"}
FP8 = {"e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2}
GOOD = np.arange(24, dtype=np.int8).reshape(2, 3, 4)


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def loaded(text: str, dtype: str = "int8", isa: str = "ipu", **options: Any) -> Any:
    """A state into which the data that a text names have been loaded. Raises `FileError`."""
    model = machine_for(isa)
    state = model.make_state({"dtype": dtype, **options})
    load_pieces(state, [read_piece(data_of(text), model.memory_size)])
    return state


def check_refused(text: str, message: str, dtype: str = "int8") -> None:
    """Data are not loaded, and the message is this."""
    with pytest.raises(FileError) as error:
        loaded(text, dtype)
    assert str(error.value) == message


def saved(array: Any, name: str = "a.npy") -> None:
    np.save(name, array)


@given(
    st.sampled_from(PLAIN),
    st.lists(st.integers(1, 5), max_size=4),
    st.sampled_from("CF"),
    st.booleans(),
    st.binary(min_size=5**4 * 4, max_size=5**4 * 4),
)
def test_an_array_comes_out_as_it_went_in(
    dtype: str, shape: list[int], order: str, is_archive: bool, content: bytes
) -> None:
    kind = np.dtype(dtype)
    count = int(np.prod(shape))
    array = np.frombuffer(content, kind, count).reshape(shape, order="C")
    name = NAMES[f"{kind.kind}{kind.itemsize}"]
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/a.np{'z' if is_archive else 'y'}"
        write = np.asarray(array, order=order)  # type: ignore[call-overload]
        (np.savez if is_archive else np.save)(path, write)
        state = loaded(f"{path}@0x80:{name}")
        assert (
            state.xmem.read_address(0x80, array.nbytes) == array.astype(f"<{dtype[-2:]}").tobytes()
        )
        length = "x".join(map(str, shape)) if len(shape) > 1 else str(count)
        out = f"{folder}/b.npz[arr_0]" if is_archive else f"{folder}/b.npy"
        ((output, _),) = dump_outputs(state, [target_of(f"{out}@0x80:{length}:{name}")])
        Path(output.path).write_bytes(output.data)
        again = np.load(output.path)["arr_0"] if is_archive else np.load(output.path)
        assert again.dtype == kind.newbyteorder("<")
        wanted = array if len(shape) > 1 else array.reshape(-1)
        assert again.tobytes() == wanted.astype(again.dtype).tobytes()
        assert again.shape == wanted.shape


@pytest.mark.parametrize("name", FP8)
def test_floats_are_rounded_to_elements_as_ml_dtypes_rounds_them(name: str) -> None:
    most = {"e4m3": 448, "e5m2": 57_344}[name]
    numbers = np.random.default_rng(3).normal(0, most / 3, 40_000).clip(-most, most)
    every = np.arange(256, dtype=np.uint8).view(FP8[name]).astype(np.float64)
    every = every[np.isfinite(every)]
    ties = np.concatenate([every, (np.sort(every)[1:] + np.sort(every)[:-1]) / 2, [-0.0, np.nan]])
    array = np.concatenate([numbers / 2.0 ** np.arange(40_000).clip(0, 20), ties])
    saved(array.astype(np.float32))
    state = loaded(f"a.npy@0:{name}", f"fp8_{name}")
    wanted = array.astype(np.float32).astype(FP8[name])
    found = np.frombuffer(state.xmem.read_address(0, len(array)), FP8[name])
    is_number = ~np.isnan(wanted)
    assert found[is_number].tobytes() == wanted[is_number].tobytes()
    assert np.isnan(found[~is_number]).all()


@pytest.mark.parametrize("name", FP8)
def test_elements_that_ml_dtypes_saves_are_loaded_in_their_mode_only(name: str) -> None:
    codes = np.arange(256, dtype=np.uint8)
    saved(codes.view(FP8[name]))
    assert loaded("a.npy@0", f"fp8_{name}").xmem.read_address(0, 256) == codes.tobytes()
    check_refused("a.npy@0", "a.npy: expected elements of int8, found 8-bit floats of numpy")
    ((output, _),) = dump_outputs(
        loaded("a.npy@0", f"fp8_{name}"), [target_of(f"b.npy@0:16x16:{name}")]
    )
    Path("b.npy").write_bytes(output.data)
    assert np.load("b.npy").view(FP8[name]).tobytes() == codes.tobytes()


@pytest.mark.parametrize(
    ("array", "place", "dtype", "message"),
    [
        (
            np.array([1, 2], "f4"), "", "fp8_e4m3",
            "expected elements of fp8_e4m3, found float32; with the type `e4m3` (`@ADDR:e4m3`) "
            "the values are converted, with `f32` they are loaded as they are",
        ),
        (
            np.array([1], "f4"), "", "int8",
            "expected elements of int8, found float32; with the type `i8` (`@ADDR:i8`) "
            "the values are converted, with `f32` they are loaded as they are",
        ),
        (
            np.array([1]), "", "int8",
            "expected elements of int8, found int64; with the type `i8` (`@ADDR:i8`) the "
            "values are converted",
        ),
        (
            np.array([True]), "", "int8",
            "expected elements of int8, found bool; pack masks with `np.packbits(masks, axis=-1, "
            'bitorder="little")`',
        ),
        (
            np.array([[1, 2], [3, -129]]), ":i8", "int8",
            "`i8` takes -128 to 127, found -129 in element [1, 1]",
        ),
        (np.array([1.5]), ":i8", "int8", "`i8` takes whole numbers, found 1.5 in element [0]"),
        (
            np.array([1.0, 500, 600]), ":fp8", "fp8_e4m3",
            "`e4m3` holds up to 448, found 500.0 in element [1], the first of 2",
        ),
        (
            np.array([1e300]), ":f32", "int8",
            "`f32` holds up to 3.4028235e+38, found 1e+300 in element [0]",
        ),
        (GOOD, ":3x4x2", "int8", "expected the shape 3x4x2, found 2x3x4"),
        (GOOD, ":25", "int8", "expected at least 25 elements, found 2x3x4"),
        (
            GOOD, ":i9", "int8",
            "expected one of the types i8, u8, i16, u16, i32, u32, f32, e4m3, e5m2, fp8, "
            "found `i9`",
        ),
        (np.array(["a"]), "", "int8", "expected numbers, found the type `<U1`"),
        (np.array([1], "c8"), "", "int8", "expected numbers, found the type `c8` of numpy"),
        (np.zeros((0, 4), np.int8), "", "int8", "the array is empty: its shape is (0, 4)"),
        (
            np.zeros(3, [("a", "i1")]), "", "int8",
            "expected an array of numbers, found records with fields; save one field each",
        ),
        (
            np.array([None]), "", "int8",
            "expected an array of numbers, found Python objects, which are pickled and not loaded; "
            "convert with `.astype` before saving",
        ),
        (
            np.zeros((0x200001,), np.int8), "", "int8",
            "xmem has 0x200000 bytes, found 2,097,153 bytes at 0x0",
        ),
    ],
)  # fmt: skip
def test_an_array_that_does_not_fit_is_refused_with_what_to_do(
    array: Any, place: str, dtype: str, message: str
) -> None:
    saved(array)
    check_refused(f"a.npy@0{place}", f"a.npy: {message}", dtype)


def test_an_array_in_an_archive_is_named_where_there_are_several() -> None:
    np.savez("a.npz", one=GOOD, two=np.array([1.0]))
    assert loaded("a.npz[one]@0:5").xmem.read_address(0, 6) == bytes([0, 1, 2, 3, 4, 0])
    only = "one (int8 2x3x4), two (float64 1)"
    check_refused("a.npz@0", f"a.npz: expected one array, found 2: {only}; write a.npz[one]")
    check_refused("a.npz[six]@0", f"a.npz: there is no array `six`, only {only}")
    meant = "did you mean a.npz[two]?"
    check_refused("a.npz[towo]@0", f"a.npz: there is no array `towo`, only {only}; {meant}")


def hostile_arrays() -> Iterator[tuple[str, bytes]]:
    """Names and contents of files that are no arrays, or not as long as they say."""
    good = io.BytesIO()
    np.save(good, GOOD)
    whole = good.getvalue()
    yield from ((f"cut at {end}", whole[:end]) for end in range(len(whole)))
    for name, version in (("version", b"\x07\x00"), ("minor version", b"\x01\x09")):
        yield name, whole[:6] + version + whole[8:]
    headers = (
        "{'descr': '|i1', 'fortran_order': False, 'shape': (999999999, 99999999), }",
        f"{{'descr': '|i1', 'fortran_order': False, 'shape': ({'9' * 900},), }}",
        f"{{'descr': '|i1', 'fortran_order': False, 'shape': ({'1,' * 400}), }}",
        f"{{'descr': '|i1', 'fortran_order': False, 'shape': ({'1,' * 50}), }}",
        "{'descr': '<i999999999', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '|V5', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<m8[ns]', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '|i1', 'fortran_order': 1, 'shape': (1,), }",
        "{'descr': '|i1', 'fortran_order': False, 'shape': 1, }",
        "{'descr': '|i1', 'fortran_order': False, 'shape': (-1,), }",
        "__import__('os').abort()",
        "(" * 9_000,
        "-" * 9_000 + "1",
        "",
    )
    for header in headers:
        data = header.encode()
        yield header[:60], b"\x93NUMPY\x01\x00" + struct.pack("<H", len(data)) + data + b"\0\0\0"
    yield "long header", b"\x93NUMPY\x02\x00" + struct.pack("<I", 1 << 31) + b" " * 20_000
    yield "pickle", pickle.dumps([1, 2])


def hostile_archives() -> Iterator[tuple[str, bytes]]:
    good = io.BytesIO()
    np.savez_compressed(good, a=GOOD)
    whole = good.getvalue()
    yield from ((f"cut at {end}", whole[:end]) for end in range(0, len(whole), 3))
    yield from (
        (f"0xff at {at}", whole[:at] + b"\xff" + whole[at + 1 :]) for at in range(len(whole))
    )
    for compression in (zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2):
        other = io.BytesIO()
        with zipfile.ZipFile(other, "w", compression) as archive:
            archive.writestr("a.npy", b"1")
        yield f"compression {compression}", other.getvalue()
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        header = b"{'descr': '|i1', 'fortran_order': False, 'shape': (4000000,), }"
        start = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
        archive.writestr("a.npy", start + bytes(64 << 20))
    yield "bomb", bomb.getvalue()


@pytest.mark.parametrize("end", ["npy", "npz"])
def test_a_hostile_file_is_refused_in_a_sentence_and_in_bounded_memory(end: str) -> None:
    files = hostile_arrays() if end == "npy" else hostile_archives()
    loaded("zeros@0:1")
    for name, content in files:
        Path(f"a.{end}").write_bytes(content)
        tracemalloc.start()
        try:
            loaded(f"a.{end}@0")
            is_read = "0xff" in name  # a byte that says nothing about the array
        except FileError as error:
            is_read = "\n" not in str(error)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert is_read, name
        assert most < 64 << 20, name


@given(st.binary(max_size=300), st.integers(0, 200))
@example(b"\x93NUMPY\x01\x00\x00\x00", 0)
def test_no_header_ends_in_another_error(junk: bytes, at: int) -> None:
    good = io.BytesIO()
    np.save(good, GOOD)
    content = good.getvalue()[:at] + junk
    with tempfile.TemporaryDirectory() as folder:
        Path(f"{folder}/a.npy").write_bytes(content)
        with suppress(FileError):
            loaded(f"{folder}/a.npy@0")


def test_generated_data_are_the_same_everywhere() -> None:
    """The digests are those of the first version: data in tests of users depend on them."""
    found = {}
    for kind in ("i8", "u8", "i16", "u16", "i32", "u32", "f32", "e4m3", "e5m2"):
        for name in ("zeros", "ones", "ramp", "random:7"):
            content = loaded(f"{name}@0:1000:{kind}", "fp8_e4m3").xmem.read_address(0, 4000)
            found[name, kind] = hashlib.sha256(content).hexdigest()[:8]
    assert found["random:7", "i8"] == found["random:7", "u8"]
    digest = hashlib.sha256(repr(sorted(found.items())).encode()).hexdigest()[:16]
    assert digest == "f42ba2900bd5f2dd"


def numbers(text: str, dtype: Any, count: int, mode: str = "int8", **options: Any) -> NDArray[Any]:
    isa = "ipu2" if options else "ipu"
    mode = "INT8" if options else mode
    content = loaded(text, mode, isa, **options).xmem.read_address(0, 64)
    return np.frombuffer(content, dtype, count).astype(np.float64)


def test_generated_data_have_the_type_of_the_run() -> None:
    assert numbers("ramp@0:10", np.int8, 10).tolist() == list(range(10))
    assert numbers("ones@0:3", FP8["e5m2"], 4, "fp8_e5m2").tolist() == [1, 1, 1, 0]
    ramp = numbers("ramp@0:10", FP8["e4m3"], 10, "fp8_e4m3")
    assert ramp.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 0, 1]
    uniform = numbers("random:3@0:16", np.float32, 16, wide="fp32")
    assert (np.abs(uniform) <= 1).all()
    assert len(set(uniform.tolist())) == 16
    assert numbers("ramp@0:4", np.int32, 5, wide="int32").tolist() == [0, 1, 2, 3, 0]
