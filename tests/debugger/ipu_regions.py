"""Regions of the IPU's states, and of its locations."""

from __future__ import annotations

from ipu_asm.debugger.expressions.machine_view import view_of
from ipu_asm.debugger.regions import regions_of
from ipu_asm.emulator import IpuState, machine_for

STATE = IpuState()
VIEW = view_of(machine_for("ipu"), machine_for("ipu").types_in(STATE))
REGIONS = regions_of(STATE)
SIZES = REGIONS.sizes
region = REGIONS.region
whole_region = REGIONS.whole
region_of = VIEW.region_of
