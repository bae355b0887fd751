"""What classes share, and how they are served."""
