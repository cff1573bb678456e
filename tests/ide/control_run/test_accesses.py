"""What a load or store touches, and the values that registers have."""

from __future__ import annotations

from tests.ide.control_run.kernels import HOST, KERNEL, WAITING, lines_of, page


def test_a_load_tells_its_addresses_its_writers_and_its_executions() -> None:
    text = KERNEL.replace("bne lr0 lr5 row", "acc")
    assert lines_of(page(text, "ldr_cyclic", HOST)) == [
        "128 bytes at cr1 + 0x80 x k, k = 0..127 (0x20000..0x23fff with cr1 = 0x20000); "
        "written by nobody; 128 times",
        "128 elements of r_cyclic at 0; 128 times",
    ]


def test_without_values_of_the_host_offsets_are_told() -> None:
    assert lines_of(page(KERNEL, "str_acc_reg")) == [
        "512 bytes at cr2 + 0x100 x k, k = 0..9 (0x0..0xaff from cr2); "
        "read by nobody through cr2; 10 times"
    ]


def test_a_store_tells_which_lines_read_its_bytes() -> None:
    text = "str_acc_reg lr0 cr0;;\nincr lr0 256; ldr_mult_reg r0 lr0 cr0;;\nbkpt;;\n"
    assert lines_of(page(text, "str_acc_reg")) == [
        "512 bytes at cr0 (0x0..0x1ff from cr0); read by line 2 through cr0; 1 time"
    ]
    assert "written by line 1 through cr0" in lines_of(page(text, "ldr_mult_reg"))[0]


def test_other_registers_with_known_values_reach_the_same_bytes() -> None:
    text = "str_acc_reg lr0 cr0;;\nldr_mult_reg r0 lr0 cr1;;\nbkpt;;\n"
    assert "written by line 1;" in lines_of(page(text, "ldr_mult", {"cr0": 256, "cr1": 512}))[0]
    assert "written by nobody;" in lines_of(page(text, "ldr_mult", {"cr0": 0, "cr1": 512}))[0]


def test_a_load_that_never_runs_says_so() -> None:
    assert lines_of(page("b +2;;\nldr_mult_reg r0 lr0 cr0;;\nbkpt;;\n", "ldr")) == [
        "never executed"
    ]


def test_a_run_that_is_not_known_to_its_end_counts_nothing() -> None:
    assert lines_of(page(WAITING, "ldr"))[0].endswith("how often depends on cr4")


def test_instructions_without_memory_have_no_such_lines() -> None:
    assert lines_of(page(KERNEL, "set lr3")) == []
    assert lines_of(page("ldr_mult_reg r0 lr0 cr0;; nonsense;;", "ldr")) == []


def test_the_first_iteration_of_a_template_is_told() -> None:
    text = "{% for n in range(2) %}set lr0 {{ n * 128 }}; str_acc_reg lr0 cr0;;\n{% endfor %}bkpt;;"
    assert lines_of(page(text, "str_acc", {"cr0": 0})) == [
        "512 bytes at cr0 (0x0..0x1ff with cr0 = 0); read by nobody; 1 time"
    ]


def test_a_loop_register_tells_its_values() -> None:
    values = "Values before this bundle: -1..126, step 1; after it: 0..127, step 1"
    assert values in page(KERNEL, "lr2 lr3")
    assert "Values here: 126" in page(KERNEL, "lr3 element")
    assert "Never written: 0" in page(KERNEL, "lr6;")


def test_registers_of_the_host_tell_their_values() -> None:
    assert "Set by the host: 0x20000 (131,072)" in page(KERNEL, "cr1", HOST)
    assert "Set by the host; its value is not known" in page(KERNEL, "cr1")
    assert "Set by the host: 7 (0x7)" in page("bne lr1 lr0 +1;;\nbkpt;;\n", "lr1", {"lr1": 7})


def test_nested_strides_of_a_register_are_told() -> None:
    text = (
        "set lr1 2; set lr3 300;;\no: set lr2 0;;\ni: incr lr2 1;;\n"
        "incr lr0 1; blt lr2 lr1 i;;\nincr lr0 97; blt lr0 lr3 o;;\nbkpt;;\n"
    )
    assert "j = 0..4, k = 0..1" in page(text, "lr0 1; blt")


def test_addresses_have_the_names_of_the_head_comment() -> None:
    text = "# cr1 = WEIGHT_BASE\n# 0x20000  16,384 bytes  weights\n" + KERNEL
    for host, where in (
        (HOST, "(weights: 0x20000..0x23fff with cr1 = 0x20000)"),
        ({}, "(weights: 0x0..0x3fff from cr1)"),
    ):
        (line, _) = lines_of(page(text, "ldr_cyclic", host))
        assert where in line
