"""Patterns for paths."""

from __future__ import annotations

import pytest

from ipu_asm.config.globs import path_matches


def check_pattern(pattern: str, path: str, matches: bool) -> None:
    """Whether a pattern that is relative to /project stands for a path."""
    assert path_matches(pattern, path, "/project") == matches


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*.s", "/project/a.s"),
        ("*.s", "/project/deep/down/a.s"),
        ("kernels/*.s", "/project/kernels/a.s"),
        ("./kernels/*.s", "/project/kernels/a.s"),
        ("/kernels/*.s", "/project/kernels/a.s"),
        ("kernels/**/*.s", "/project/kernels/a.s"),
        ("kernels/**/*.s", "/project/kernels/x/y/a.s"),
        ("kernels/**", "/project/kernels/x/a.s"),
        ("**/old/*.s", "/project/x/old/a.s"),
        ("kernels", "/project/x/kernels/y/a.s"),
        ("kernels/", "/project/kernels/a.s"),
        ("a?.s", "/project/ab.s"),
        ("[ab].s", "/project/b.s"),
        ("[!ab].s", "/project/c.s"),
        ("a(1).s", "/project/a(1).s"),
        ("[z-a].s", "/project/[z-a].s"),
        ("[[a].s", "/project/[.s"),
        ("[a&&b].s", "/project/&.s"),
        ("a[.s", "/project/a[.s"),
        ("**", "/project/a/b.s"),
        ("**.s", "/project/x/a.s"),
        ("kernels/**.s", "/project/kernels/x/a.s"),
        ("a**b.s", "/project/axb.s"),
        ("**/a/**/b/*.s", "/project/a/x/a/b/b/a.s"),
        ("*a*b*.s", "/project/xaxbab.s"),
    ],
)
def test_a_pattern_stands_for_these(pattern: str, path: str) -> None:
    check_pattern(pattern, path, True)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*.s", "/project/a.asm"),
        ("kernels/*.s", "/project/x/kernels/a.s"),
        ("kernels/*.s", "/project/kernels/x/a.s"),
        ("kernel", "/project/kernels/a.s"),
        ("[!ab].s", "/project/a.s"),
        ("a.s", "/project/aas"),
        ("kernels/*.s", "/elsewhere/kernels/a.s"),
        ("kernels/**", "/project/kernels"),
        ("a[!b]c", "/project/a/c"),
        ("**/a/**/b/*.s", "/project/a/b/x/a.s"),
        ("*a*b*.s", "/project/bxa.s"),
        # With a choice for every star these would take longer than the universe has existed.
        ("*a" * 40 + "b", "/project/" + "a" * 200),
        ("**/a/" * 40 + "b", "/project/" + "a/" * 200),
        ("**/*a*a/" * 20 + "b", "/project/" + "aaaa/" * 200),
    ],
)
def test_a_pattern_does_not_stand_for_these(pattern: str, path: str) -> None:
    check_pattern(pattern, path, False)
