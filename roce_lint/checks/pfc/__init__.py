"""Pause: what is sent, obeyed and watched."""
