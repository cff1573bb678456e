"""The expression language of conditions, watches, hovers, log messages and the debug console.

    lr5  r0[3]  acc[0..7]  mask[2][5]  xmem[cr0 + lr1 .. +16 : f32]  sum(acc) > 100,x

- Names. Registers are case-insensitive and may have short names: in the IPU `cyclic`, `mask` and
  `acc` for `r_cyclic`, `r_mask` and `r_acc`. `pc`, `cycle` and `dtype` (the element type, to be
  compared with names such as `int8`) are registers, too. A name is looked up as register, setting
  of the host, constant, register note of the program, then label, whose value is its address;
  `label(lr5)` is always a label. Scalar registers are signed; `u32(lr5)` is unsigned.
- Slices. `[0..7]` includes both ends: eight elements; `[8 .. +4]` is four elements from 8 on. An
  index into xmem is a byte address; a `+count` counts elements. `[... : i32]` reads the bytes as
  another type, as do `i32(location)` and the format `,i32`. Types: i8 u8 i16 u16 i32 u32 f32, the
  8-bit floats of the machine (e4m3 e5m2 in the IPU), and fp8, the one that is selected. A type
  applied to a computed value converts it.
- Default types. Elements have the selected type, words of results are int32 or float32. `mask` has
  masks of 128 bits; each is a whole number.
- Operators. `+ - * / // % ** & | ^ ~ << >> == != < <= > >= and or not && || !`, `a ? b : c`,
  `x in 0..127`, `x in [1, 2]`, lists,
  functions (see `FUNCTIONS`). Vectors combine element by element with vectors of the same length
  and with single values. A condition is a single value.
- Formats after a comma: `,x ,u ,b ,o ,d` and every type.

Evaluation of any text takes bounded time and raises no exception other than ExpressionError.
"""

from __future__ import annotations

from ipu_asm.debugger.expressions.assignment import (
    LocationError,
    assign,
    assign_with,
    edit_of,
    split_assignment,
    writable_location,
    write,
)
from ipu_asm.debugger.expressions.completion import Candidate, HoverTarget, complete, expression_at
from ipu_asm.debugger.expressions.context import Context, LiveContext, SavedContext, Writable, read
from ipu_asm.debugger.expressions.evaluator import Result, evaluate, evaluate_condition
from ipu_asm.debugger.expressions.machine_view import Location, MachineView, Space
from ipu_asm.debugger.expressions.values import FUNCTIONS, NOTATIONS, Value, element_text, text_of
from ipu_asm.expressions.parser import parse
from ipu_asm.expressions.tree import ExpressionError, quoted

__all__ = [
    "FUNCTIONS", "NOTATIONS", "Candidate", "Context", "ExpressionError",
    "HoverTarget", "LiveContext", "Location", "LocationError", "MachineView", "Result",
    "SavedContext", "Space",
    "Value", "Writable", "assign", "assign_with", "complete", "edit_of", "element_text",
    "evaluate", "evaluate_condition", "expression_at", "parse", "quoted", "read",
    "split_assignment", "text_of", "writable_location", "write",
]  # fmt: skip
