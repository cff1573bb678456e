"""URIs of files, and of the folders of clients whose files are not on this disk."""

from __future__ import annotations

import pytest

from ipu_lsp.server import uris

ROOT = "vscode-vfs://github/owner/kernels"


@pytest.fixture(autouse=True)
def mounted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uris, "_mounted", {})
    uris.mount(f"{ROOT}/", "/copies/0")


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        (ROOT, "/copies/0"),
        (f"{ROOT}/a.s", "/copies/0/a.s"),
        (f"{ROOT}/a%20folder/%C3%A4.s", "/copies/0/a folder/ä.s"),
        ("file:///work/a%20b.s", "/work/a b.s"),
    ],
)
def test_a_uri_and_its_path_are_converted_both_ways(uri: str, path: str) -> None:
    assert uris.path_of(uri) == path
    assert uris.uri_of(path) == uri


@pytest.mark.parametrize(
    "uri", [f"{ROOT}2/a.s", "vscode-vfs://github/owner", "untitled:a.s", "http://[", f"{ROOT}/%00"]
)
def test_other_uris_have_no_path(uri: str) -> None:
    assert uris.path_of(uri) is None


def test_a_path_beside_a_copy_is_a_file_of_this_disk() -> None:
    assert uris.uri_of("/copies/01/a.s") == "file:///copies/01/a.s"


def test_features_for_further_files_are_registered_for_the_schemes_of_copies() -> None:
    assert uris.file_schemes() == ["file", "vscode-vfs"]
