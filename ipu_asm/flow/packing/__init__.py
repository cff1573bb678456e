"""Packing: which instructions of a block may share bundles, and schedules with fewer bundles."""
