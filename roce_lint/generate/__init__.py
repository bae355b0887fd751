"""Golden configurations of an intent, written into a folder of their own."""
