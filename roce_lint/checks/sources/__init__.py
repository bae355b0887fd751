"""Input files: lines and values that were not read, and ignore comments."""
