"""MTU along the paths of RoCE."""
