"""What one looks at: the scene of a mechanism, the browser viewer, the HTML player, pictures and videos."""
