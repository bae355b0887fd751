"""Collects from live devices over SSH (read-only) into a snapshot."""
