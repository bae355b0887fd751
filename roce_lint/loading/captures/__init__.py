"""Real captures read as they come: cleaned, unwrapped and cut before any reader sees them."""
