"""Buffers of lossless classes."""
