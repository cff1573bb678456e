"""Editor features for names that expansion replaces, defined in any of the files it has read."""
