"""Editor features for macros: names, parameters, occurrences, completion, rename, hover pages."""
