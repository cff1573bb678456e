"""The control run: which bundles run, how often, and with which addresses, without any data."""
