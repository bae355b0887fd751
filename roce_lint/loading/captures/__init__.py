"""Raw captures: cleaned, unwrapped and cut before any reader sees them."""
