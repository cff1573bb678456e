"""Control flow and data flow: register accesses, latency, lost results."""
