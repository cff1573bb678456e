"""How the tests with random examples draw them.

A run of the tests says the same each time, so that what fails has been broken. Who wants to find
what nobody has thought of yet runs ``pytest --hypothesis-profile=search`` now and then.
"""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("same", derandomize=True)
settings.register_profile("search", derandomize=False, max_examples=2_000, print_blob=True)
settings.load_profile("same")
