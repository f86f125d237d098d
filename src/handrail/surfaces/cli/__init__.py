"""The `handrail` command: one module for each subcommand, `app` puts them together."""
