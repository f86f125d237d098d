"""What the search tools share: ripgrep, glob patterns, ignore files, matches."""
