"""Editor features of the tags of a template: names, statements and comments.

What a tag renders is known from the expansion; edits of tags are checked by expanding again. Begin
with `lookup.py`.
"""
