"""How large packets may be, on the way of RoCE."""
