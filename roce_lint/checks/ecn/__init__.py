"""ECN marking and its thresholds."""
