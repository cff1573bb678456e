"""Loops whose iterations follow from constants, in sets whose registers may also hold data."""
