"""EdgeNPU's instructions, each described once: slot -> mnemonic -> entry.

Names, forms and fields come from the "EdgeNPU Instruction Set Reference", version 1.0.0. An opcode
is the position of its entry. `low` is the lowest bit of an operand's field in the 64-bit word: 56
flags, 48 DST, 40 SRC0, 32 SRC1, 0 the immediate.

The reference contradicts itself in places and leaves others open; the summary of an instruction
says what is done here and calls the rest "the reference". Buffers that are read are read before
anything is written, so each is a "snapshot". State that is no operand is called `ddr`. The traits
tell what `SYNC` waits for ("dma", "compute"), and what the published hardware refuses
("unimplemented").
"""

from __future__ import annotations

from typing import Any, Iterator

from ipu_asm.isa.model import InstructionDoc
from ipu_asm.isa.notations import blocks


def _named(keyword: str, name: str, operand_type: str, low: int, **more: Any) -> dict[str, Any]:
    """An operand that is written ``keyword=value`` and may be left out."""
    place = {"name": name, "type": operand_type, "low": low}
    return {**place, "optional": True, "keyword": keyword, **more}


_FLAGS = {"low": 56, "optional": True}
_BINARY = [
    {"name": "dst", "type": "ActivationBuffer", "low": 48},
    {"name": "src0", "type": "ActivationBuffer", "low": 40, "read": "snapshot"},
    {"name": "src1", "type": "ActivationBuffer", "low": 32, "read": "snapshot"},
]
_WITH_WEIGHTS = [
    {"name": "dst", "type": "ActivationBuffer", "low": 48},
    {"name": "src_act", "type": "ActivationBuffer", "low": 40, "read": "snapshot"},
    {"name": "src_weight", "type": "WeightBuffer", "low": 32, "read": "snapshot"},
    {"name": "flags", "type": "ComputeFlags", **_FLAGS},
]
_UNARY = [
    {"name": "dst", "type": "ActivationBuffer", "low": 48},
    {"name": "src", "type": "ActivationBuffer", "low": 40, "read": "snapshot"},
]
_AXIS = _named("axis", "axis", "Axis", 0, positional_allowed=True)

# In the order of the instructions, with the syntax line as the head.
_DOCUMENTS = """\
NOP [cycles]
    No Operation | Waits for a number of cycles and does nothing else. The reference's table of
    latencies gives it one cycle, its format a number of them: taken together, `NOP n` waits max(1,
    n) cycles.
    cycles: Cycles to wait, 32 bits; 0 without it. A label stands for its instruction's number
    = wait max(1, cycles) cycles
    > NOP 100    ; wait 100 cycles
CONV dst, src_act, src_weight [, flags] [, desc=descriptor]
    2D Convolution | Convolves an activation tensor with weights; a parameter descriptor in memory
    has the sizes, strides and paddings. The reference puts the descriptor's address into the
    immediate but gives it no place in the syntax: it is written `desc=` here, and without it the
    immediate is 0. The reference's first encoding example, published as 0x1100000100001000, has
    SRC0 and SRC1 swapped against its own field table: what it describes, `CONV AB[0], AB[1], WB[0],
    RELU, desc=0x1000`, encodes as 0x1100010000001000. The output buffer is an activation buffer.
    dst: Buffer for the result (DST)
    src_act: Buffer with the activations (SRC0)
    src_weight: Buffer with the weights (SRC1)
    flags: What to add to the convolution and do with its result
    descriptor: Address of the parameter descriptor, or a label
    = dst = conv2d(src_act, src_weight, parameters at descriptor)
    > CONV AB[1], AB[0], WB[0], RELU | BIAS, desc=0x1000
FC dst, src_act, src_weight [, flags] [, in=in_features] [, out=out_features]
    Fully Connected | Multiplies a vector by a weight matrix. The reference has fields for the
    numbers of features but no syntax for them: they are written `in=` and `out=` here. It allows
    flags without listing any: those of `CONV` are taken.
    dst: Buffer for the result (DST)
    src_act: Buffer with the input vector (SRC0)
    src_weight: Buffer with the weight matrix (SRC1)
    flags: What to add to the product and do with it
    in_features: Length of the input vector, immediate bits 15:0
    out_features: Length of the result, immediate bits 31:16
    = dst[0:out_features] = src_weight x src_act[0:in_features]
    > FC AB[1], AB[0], WB[0], RELU, in=512, out=10
POOL dst, src [, type] [, kernel=HxW] [, stride=HxW]
    Pooling | Reduces windows of a tensor to one element each. The reference has fields for the
    window and its stride but no syntax for them: they are written `kernel=HEIGHTxWIDTH` and
    `stride=HEIGHTxWIDTH` here.
    dst: Buffer for the result (DST)
    src: Buffer with the tensor (SRC0)
    type: How a window is reduced, immediate bits 1:0; MAX without it
    kernel_size: Height (immediate bits 5:2) and width (9:6) of a window
    stride_size: Rows (immediate bits 13:10) and columns (17:14) between windows
    = dst[y, x] = type of src over the window at (y, x) * stride_size
    > POOL AB[1], AB[0], MAX, kernel=2x2, stride=2x2
ACT dst, src [, type]
    Activation Function | Applies a function to each element of a tensor.
    dst: Buffer for the result (DST)
    src: Buffer with the tensor (SRC0)
    type: The function, immediate bits 2:0; NONE without it
    = for each element x of src: dst = type(x)
    > ACT AB[1], AB[0], GELU
LOAD dst, ddr_addr, length [, flags]
    Load from DDR | Copies bytes from DDR into a buffer memory. DST is only 0 (weights) or 1
    (activations), so a target has no number: `WB` or `AB`, for which `WB[0]` and `AB[0]` are
    accepted. The reference shows 32 address bits in SRC0:SRC1, which have 16: they hold the address
    divided by 64 KiB, SRC0 its upper half, so an address must be a multiple of 64 KiB. With that,
    the reference's second encoding example, 0x5000800000004000, is exactly `LOAD WB, 0x80000000,
    0x4000`.
    dst: Memory to fill (DST)
    ddr_addr: Address of the first byte in DDR, a multiple of 64 KiB (SRC0:SRC1)
    length: Number of bytes, immediate bits 23:0
    flags: How to transfer
    = dst = ddr[ddr_addr : +length]
    > LOAD WB, 0x80000000, 65536, ASYNC
    > SYNC WAIT_DMA
STORE ddr_addr, src, length
    Store to DDR | Copies bytes from an activation buffer to DDR. The reference has no field table
    for it: it is encoded like `LOAD` here, with the number of the source buffer in DST. Weights
    cannot be stored.
    ddr_addr: Address of the first byte in DDR, a multiple of 64 KiB (SRC0:SRC1)
    src: Buffer to copy (DST)
    length: Number of bytes, immediate bits 23:0
    = ddr[ddr_addr : +length] = src
    > STORE 0x80020000, AB[1], 16384
    > SYNC WAIT_DMA
SYNC [flags] [, barrier_id]
    Synchronization | Waits for operations that are under way. The reference's format has a barrier
    number, its examples have flags: words are flags here, a number is the barrier's and goes into
    the immediate. Without an operand no flag is set, and it waits for everything.
    flags: What to wait for, and whether to raise an interrupt
    barrier_id: Number of the barrier, immediate bits 31:0
    = wait for transfers if WAIT_DMA, for compute instructions if WAIT_COMPUTE, for all if neither
    > SYNC WAIT_DMA | IRQ
ADD dst, src0, src1
    Element-wise Addition | Adds two tensors element by element.
    dst: Buffer for the sum (DST)
    src0: Buffer with the first tensor (SRC0)
    src1: Buffer with the second tensor (SRC1)
    = dst = src0 + src1
    > ADD AB[2], AB[0], AB[1]
MUL dst, src0, src1
    Element-wise Multiplication | Multiplies two tensors element by element.
    dst: Buffer for the product (DST)
    src0: Buffer with the first tensor (SRC0)
    src1: Buffer with the second tensor (SRC1)
    = dst = src0 * src1
    > MUL AB[2], AB[0], AB[1]
CONCAT dst, src0, src1 [, axis=axis] [, sizes=SIZE0xSIZE1]
    Concatenation | Joins two tensors along an axis. The reference has fields for the sizes of both
    along it but no syntax for them: they are written `sizes=SIZE0xSIZE1` here.
    dst: Buffer for the joined tensor (DST)
    src0: Buffer with the first tensor (SRC0)
    src1: Buffer with the second tensor (SRC1)
    axis: The axis, 0 to 3, immediate bits 1:0; `axis=` need not be written
    axis_sizes: Sizes of src0 (immediate bits 15:2) and src1 (31:16) along the axis
    = dst = src0 followed by src1 along axis
    > CONCAT AB[2], AB[0], AB[1], axis=2, sizes=64x128
SPLIT dst0, dst1, src [, axis=axis]
    Tensor Split | Cuts a tensor in two along an axis. The reference gives it two destinations and
    no field table: dst0 is in DST, src in SRC0 and dst1 in SRC1 here.
    dst0: Buffer for the first part (DST)
    dst1: Buffer for the second part (SRC1)
    src: Buffer with the tensor (SRC0)
    axis: The axis, 0 to 3, immediate bits 1:0; `axis=` need not be written
    = dst0, dst1 = both parts of src along axis
    > SPLIT AB[1], AB[2], AB[0], axis=1
"""

_INSTRUCTIONS: dict[str, dict[str, Any]] = {
    "NOP": {
        "cycles": (("cycles",), 1),
        "operands": [{"name": "cycles", "type": "Cycles", "low": 0, "optional": True}],
    },
    "CONV": {
        "traits": ("compute",),
        "operands": [
            *_WITH_WEIGHTS,
            _named("desc", "descriptor", "Descriptor", 0, positional_allowed=True, suggested=True),
        ],
        "writes": ["dst"],
        "reads": {"ddr": "snapshot"},
    },
    "FC": {
        "cycles": (("in_features", "out_features"), 256),
        "traits": ("compute",),
        "operands": [
            *_WITH_WEIGHTS,
            _named("in", "in_features", "Features", 0),
            _named("out", "out_features", "Features", 16),
        ],
        "writes": ["dst"],
    },
    "POOL": {
        "traits": ("compute",),
        "operands": [
            *_UNARY,
            {"name": "type", "type": "Pooling", "low": 0, "optional": True},
            _named("kernel", "kernel_size", "WindowSize", 2),
            _named("stride", "stride_size", "WindowSize", 10),
        ],
        "writes": ["dst"],
    },
    "ACT": {
        "traits": ("compute",),
        "operands": [*_UNARY, {"name": "type", "type": "Activation", "low": 0, "optional": True}],
        "writes": ["dst"],
    },
    "LOAD": {
        "traits": ("dma",),
        "operands": [
            {"name": "dst", "type": "LoadTarget", "low": 48},
            {"name": "ddr_addr", "type": "DdrAddress", "low": 32},
            {"name": "length", "type": "Length", "low": 0},
            {"name": "flags", "type": "LoadFlags", **_FLAGS},
        ],
        "writes": ["dst"],
        "reads": {"ddr": "snapshot"},
    },
    "STORE": {
        "traits": ("dma",),
        "operands": [
            {"name": "ddr_addr", "type": "DdrAddress", "low": 32},
            {"name": "src", "type": "ActivationBuffer", "low": 48, "read": "snapshot"},
            {"name": "length", "type": "Length", "low": 0},
        ],
        "writes": ["ddr"],
    },
    "SYNC": {
        "traits": ("sync",),
        "operands": [
            {"name": "flags", "type": "SyncFlags", "suggested": True, **_FLAGS},
            {"name": "barrier_id", "type": "Barrier", "low": 0, "optional": True},
        ],
    },
    "ADD": {"traits": ("compute", "unimplemented"), "operands": _BINARY, "writes": ["dst"]},
    "MUL": {"traits": ("compute", "unimplemented"), "operands": _BINARY, "writes": ["dst"]},
    "CONCAT": {
        "traits": ("compute", "unimplemented"),
        "operands": [*_BINARY, _AXIS, _named("sizes", "axis_sizes", "AxisSizes", 2)],
        "writes": ["dst"],
    },
    "SPLIT": {
        "traits": ("compute", "unimplemented"),
        "operands": [
            {"name": "dst0", "type": "ActivationBuffer", "low": 48},
            {"name": "dst1", "type": "ActivationBuffer", "low": 32},
            {"name": "src", "type": "ActivationBuffer", "low": 40, "read": "snapshot"},
            _AXIS,
        ],
        "writes": ["dst0", "dst1"],
    },
}


def _entries() -> Iterator[tuple[str, dict[str, Any]]]:
    for (mnemonic, entry), block in zip(_INSTRUCTIONS.items(), blocks(_DOCUMENTS, {}), strict=True):
        title, summary, texts = block.texts([operand["name"] for operand in entry["operands"]])
        doc = InstructionDoc(
            title=title,
            summary=summary,
            syntax=block.head,
            operands=[f"{name}: {text}" for name, text in texts.items()],
            operation="\n".join(block.operation),
            example="\n".join(block.example),
        )
        yield mnemonic, {**entry, "doc": doc}


INSTRUCTION_SPEC = {"main": dict(_entries())}
