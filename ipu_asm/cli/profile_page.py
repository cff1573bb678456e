"""A profile as one HTML page that needs nothing else: no script, no network."""

from __future__ import annotations

import os
from html import escape
from math import sqrt
from typing import Iterator, Sequence

from ipu_asm.cli.profile_file import HOTTEST, cycles_by_line
from ipu_asm.cli.profile_source import source_table
from ipu_asm.emulator.profile import BundleUse, LoopUse, Profile, SlotUse
from ipu_asm.isa.model import Isa
from ipu_asm.line_table import Place
from ipu_asm.text import SourceFile

_STYLE = os.path.join(os.path.dirname(__file__), "profile_page.css")
