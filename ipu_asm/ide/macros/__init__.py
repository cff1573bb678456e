"""Editor features for macros: names, parameters, mentions, completion, rename and hover pages."""
