"""PFC: sent, honoured, and watched."""
