"""Room for what pause protects."""
