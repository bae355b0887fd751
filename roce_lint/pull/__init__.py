"""Asks live devices over SSH and writes what they answer into a snapshot; it only reads."""
