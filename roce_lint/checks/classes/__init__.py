"""Separation and scheduling of traffic classes."""
