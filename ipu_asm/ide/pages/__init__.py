"""The Markdown pages that hover shows."""
