"""What a shell command would run and touch, found with tree-sitter. What programs do is data: see the TOML files."""
