"""Editor features of the tags of a template: names, statements and comments."""
