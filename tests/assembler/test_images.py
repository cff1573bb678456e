"""Images: words as files, and the listing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm import assemble, load_isa
from ipu_asm.assembler.encode import encode
from ipu_asm.assembler.images import (
    FORMATS,
    ImageError,
    decode_image,
    encode_image,
    guessed_format,
    listed_words,
    listing_rows,
)
from ipu_asm.program.build import read_program

IPU = load_isa("ipu")
WORD = assemble("acc.first;;")[0]
HEX = "0x000400001000060000002000000000000000000000140001"
MEM = "0x400001000060000002000000000000000000000140001"
WORDS = st.lists(st.integers(0, (1 << IPU.word_bits) - 1), min_size=1, max_size=20)


def check_image(image: str | bytes, *words: int, image_format: str | None = None) -> None:
    """An image holds these words."""
    data = image.encode() if isinstance(image, str) else image
    assert decode_image(data, IPU, image_format) == list(words)


def check_refusal(image: str | bytes, *mistakes: tuple[int, str]) -> None:
    """An image has these mistakes."""
    data = image.encode() if isinstance(image, str) else image
    with pytest.raises(ImageError) as caught:
        decode_image(data, IPU)
    assert caught.value.mistakes == mistakes


def check_listing(text: str, *rows: str) -> None:
    """Below its head, a listing consists of these rows; each word is written W."""
    program = read_program(IPU, text)
    words = encode(program)
    found = listing_rows(program, listed_words(program, words), "kernel.s")
    listing = "".join(f"{row.text}\n" for row in found)
    head, body = listing.split("\n\n", 1)
    bundles = "1 bundle" if len(words) == 1 else f"{len(words)} bundles"
    assert head == f"# isa: ipu\n# kernel.s: {bundles} of 24 bytes"
    for word in words:
        body = body.replace(f"0x{word:048x}", "W", 1)
    assert body.replace(" " * 50, "~").splitlines() == list(rows)
    check_image(listing, *words)


def test_hex_has_48_digits_a_line() -> None:
    assert encode_image([WORD, 1], IPU, "hex").decode() == f"{HEX}\n0x{1:048x}\n"


def test_mem_has_the_45_digits_of_the_word_itself() -> None:
    assert encode_image([WORD], IPU, "mem").decode() == f"{MEM}\n"
    assert len(MEM) == 2 + 45


def test_bin_has_24_bytes_a_word_lowest_first() -> None:
    image = encode_image([WORD, 2], IPU, "bin")
    assert image == bytes.fromhex(HEX[2:])[::-1] + b"\2" + bytes(23)


@given(WORDS, st.sampled_from(FORMATS), st.booleans())
def test_every_format_gives_its_words_back(words: list[int], name: str, is_named: bool) -> None:
    image = encode_image(words, IPU, name)
    check_image(image, *words, image_format=name if is_named else None)


@pytest.mark.parametrize(
    "image",
    [
        HEX,
        MEM,
        HEX[2:],
        MEM[2:].upper(),
        f"\n# a comment\n\n  {HEX}\t# after\r\n\r\n",
        "\ufeff" + HEX,
    ],
)
def test_text_images_may_have_any_of_the_digits_blank_lines_and_comments(image: str) -> None:
    check_image(image, WORD)


def test_hex_and_mem_are_read_alike() -> None:
    check_image(HEX, WORD, image_format="mem")
    check_image(MEM, WORD, image_format="hex")


def test_what_can_be_no_text_is_guessed_to_be_bytes() -> None:
    assert guessed_format(encode_image([WORD], IPU, "bin")) == "bin"
    assert guessed_format(b"\xff" * 24) == "bin"
    assert guessed_format("# größer\n0x1\n".encode()) == "hex"


def test_a_word_that_is_too_wide_names_its_line() -> None:
    wide = f"0x{1 << 179:048x}"
    check_refusal(f"0x1\n{wide}\n", (2, f"a word has 179 bits, found `{wide[:40]}...`"))
    check_refusal("1" * 60, (1, f"a word has 179 bits, found `{'1' * 40}...`"))
    found = "a word has 179 bits, found more at byte 24"
    check_refusal(bytes(24) + b"\xff" * 24, (0, found))


def test_a_line_that_is_no_word_names_what_was_expected() -> None:
    expected = "expected the hexadecimal digits of one word, found"
    check_refusal("0x1 0x2\nacc;;\n", (1, f"{expected} `0x1 0x2`"), (2, f"{expected} `acc;;`"))


def test_an_address_that_is_not_the_next_one_is_refused() -> None:
    check_image("0: 0x5\n1: 6", 5, 6)
    check_refusal("0: 5\n2: 6", (2, "expected the word of address 1, found that of `2`"))


def test_bytes_that_are_no_whole_words_are_refused() -> None:
    check_refusal(bytes(25), (0, "a word takes 24 bytes, found 25 bytes in all"))


@pytest.mark.parametrize("image", ["", "\n# nothing\n"])
def test_an_image_without_a_word_is_refused(image: str) -> None:
    check_refusal(image, (0, "an image has at least one word, found none"))


def test_more_words_than_memory_are_refused() -> None:
    check_image("1\n" * 1024, *[1] * 1024)
    check_refusal("1\n" * 1025, (0, "instruction memory holds 1024 words, found 1025"))


def test_a_listing_shows_address_word_and_source_side_by_side() -> None:
    check_listing("acc.first;;\nbkpt;;\n", "   0: W  # acc.first;;", "   1: W  # bkpt;;")


def test_the_word_stands_where_the_bundle_begins() -> None:
    check_listing(
        "# head\n\nloop:\n\tset lr0 1;\n\tacc;;  # done\nb loop;;",
        "~          # head",
        "",
        "   0: W  # loop:",
        "~        #     set lr0 1;",
        "~        #     acc;;  # done",
        "   1: W  # b loop;;",
    )


def test_bundles_that_share_a_line_have_rows_of_their_own() -> None:
    check_listing(
        "  acc;; acc.first;; # two\r\nacc",
        "   0: W  #   acc;;",
        "   1: W  # acc.first;; # two",
        "   2: W  # acc",
    )


def test_a_listing_is_harmless_to_a_terminal() -> None:
    check_listing("acc;; # \x1b[2J \u202e\n", "   0: W  # acc;; # ␛[2J �")
