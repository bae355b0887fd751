"""Another leaf for a fabric: a copy of a sister leaf with its own numbers."""
