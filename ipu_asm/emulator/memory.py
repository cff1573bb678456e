"""External memory: byte-addressed, with images that share all unchanged pages."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, Iterator, Mapping, TypeAlias

from ipu_asm.emulator.arguments import whole_number
from ipu_asm.emulator.faults import InstructionError

ROW: Final = 128
_PAGE_BITS: Final = 12
PAGE: Final = 1 << _PAGE_BITS
_GROUP: Final = 32

Image: TypeAlias = tuple[tuple[bytes, ...], ...]
"""All of a memory: groups of 32 pages of 4 KiB, the last ones shorter. Equal pages are shared."""


class XMem:
    """External memory of `size` bytes, initially all zero."""

    __slots__ = ("_dirty", "_image", "content", "recording", "size", "written")

    def __init__(self, size: int) -> None:
        self.size = size
        # Read it directly, but write with `write_address`, which records what changed.
        self.content = bytearray(size)
        self.recording = False
        # While recording: address and previous content of every write, the earliest first.
        self.written: list[tuple[int, bytearray]] = []
        self._dirty: set[int] = set()
        self._image = _blank(size)

    def read_address(self, addr: int, size: int) -> bytearray:
        """Return a copy of `size` bytes. Raises `InstructionError` outside of the memory."""
        self.check_range(addr, size)
        return self.content[addr : addr + size]

    def write_address(self, addr: int, data: bytes | bytearray | memoryview) -> None:
        """Write bytes. Raises `InstructionError`, with nothing written, if they do not fit."""
        content = data if isinstance(data, (bytes, bytearray)) else _bytes_of(data)
        size = len(content)
        self.check_range(addr, size)
        if self.recording:
            self.written.append((addr, self.content[addr : addr + size]))
        self._put(addr, content)

    def check_range(self, addr: int, size: int) -> None:
        """Check that a range of bytes lies within the memory. Raises `InstructionError`."""
        if type(addr) is not int or type(size) is not int:
            addr, size = whole_number(addr, "an address"), whole_number(size, "a size")
        if addr < 0 or size < 0 or addr + size > self.size:
            raise InstructionError(
                f"an access must end within the {self.size:#x} bytes of xmem, "
                f"found {size} bytes at {addr:#x}"
            )

    def undo(self) -> None:
        """Revert every recorded write."""
        while self.written:
            self._put(*self.written.pop())

    def image(self) -> Image:
        """Return an image of the memory that shares all pages unchanged since the last image."""
        if self._dirty:
            groups = list(self._image)
            for page in self._dirty:
                group = list(groups[page // _GROUP])
                start = page << _PAGE_BITS
                group[page % _GROUP] = bytes(memoryview(self.content)[start : start + PAGE])
                groups[page // _GROUP] = tuple(group)
            self._dirty.clear()
            self._image = tuple(groups)
        return self._image

    def restore(self, image: Image) -> None:
        """Overwrite the memory with an image; the cost is proportional to the pages that differ."""
        for page, _, theirs in differing_pages(self.image(), image):
            start = page << _PAGE_BITS
            self.content[start : start + PAGE] = theirs
        self._image = image

    def overwrite_pages(self, pages: Mapping[int, bytes]) -> Image:
        """Overwrite pages of 4 KiB, by their numbers; return an image that shares them.

        The writes are not recorded.
        """
        groups = list(self.image())
        by_group: dict[int, list[int]] = {}
        for number, page in pages.items():
            start = number << _PAGE_BITS
            self.content[start : start + PAGE] = page
            by_group.setdefault(number // _GROUP, []).append(number)
        for place, numbers in by_group.items():
            group = list(groups[place])
            for number in numbers:
                group[number % _GROUP] = pages[number]
            groups[place] = tuple(group)
        self._image = tuple(groups)
        return self._image

    def _put(self, addr: int, content: bytes | bytearray) -> None:
        end = addr + len(content)
        self.content[addr:end] = content
        self._dirty.update(range(addr >> _PAGE_BITS, (end - 1 >> _PAGE_BITS) + 1))


def _bytes_of(data: Any) -> bytes:
    try:
        return memoryview(data).tobytes()
    except TypeError:
        raise TypeError(f"memory takes bytes, found {type(data).__name__}") from None


def changed_rows(before: Image, after: Image) -> list[int]:
    """Return the addresses of the 128-byte rows in which two images differ, ascending."""
    return [
        (page << _PAGE_BITS) + start
        for page, old, new in differing_pages(before, after)
        for start in range(0, PAGE, ROW)
        if old[start : start + ROW] != new[start : start + ROW]
    ]


def page_of(image: Image, number: int) -> bytes:
    """Return the 4 KiB of a page, by its number."""
    return image[number // _GROUP][number % _GROUP]


def differing_pages(before: Image, after: Image) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield number, old and new content of the pages that the images do not share."""
    for number, (mine, theirs) in enumerate(zip(before, after, strict=True)):
        if mine is not theirs:
            for place, (old, new) in enumerate(zip(mine, theirs, strict=True)):
                if old is not new:
                    yield number * _GROUP + place, old, new


Parts: TypeAlias = tuple[tuple[int, bytes], ...]
"""The bytes of a memory that are not zero, as pieces of pages with their addresses."""


def parts_of(image: Image) -> Parts:
    """Return what is not zero in an image: little, for a memory that is mostly empty."""
    size = sum(map(len, (page for group in image for page in group)))
    parts = []
    for number, _, page in differing_pages(_blank(size), image):
        content = page.lstrip(b"\0")
        start = (number << _PAGE_BITS) + len(page) - len(content)
        if content:
            parts.append((start, content.rstrip(b"\0")))
    return tuple(parts)


def image_of(size: int, parts: Parts) -> Image:
    """Return the image of a memory of `size` bytes; it shares all pages that are zero."""
    groups = list(_blank(size))
    for start, content in parts:
        page, offset = start >> _PAGE_BITS, start & PAGE - 1
        group = list(groups[page // _GROUP])
        rest = len(group[page % _GROUP]) - offset - len(content)
        group[page % _GROUP] = bytes(offset) + content + bytes(rest)
        groups[page // _GROUP] = tuple(group)
    return tuple(groups)


@lru_cache(maxsize=8)
def _blank(size: int) -> Image:
    """The image of a memory that is all zero."""
    group = (bytes(PAGE),) * _GROUP
    groups, rest = divmod(size, PAGE * _GROUP)
    pages, last = divmod(rest, PAGE)
    partial = group[:pages] + ((bytes(last),) if last else ())
    return (group,) * groups + ((partial,) if partial else ())
