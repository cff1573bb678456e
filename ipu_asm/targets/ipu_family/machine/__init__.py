"""What the machines of all IPUs share."""
