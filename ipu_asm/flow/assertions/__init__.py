"""Assertions in comments: what authors state about a program, and whether it holds."""
