"""What was read, and what was not."""
