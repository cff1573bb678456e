"""Editor features, one module or package each, independent of any protocol."""
