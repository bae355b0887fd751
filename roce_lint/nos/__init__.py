"""Network operating systems: one folder each, found automatically."""
