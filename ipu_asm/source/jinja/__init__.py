"""Jinja templates: rendering with exact positions."""
