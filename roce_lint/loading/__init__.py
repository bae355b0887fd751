"""From paths to devices: discover, identify, group, read."""
