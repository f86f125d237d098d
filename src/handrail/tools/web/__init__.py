"""What the web tools are made of: addresses, a checked way out, bounded answers, documents of strangers."""
