"""Marking and its thresholds."""
