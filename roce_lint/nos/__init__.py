"""Network operating systems: one folder each, discovered, never listed."""
