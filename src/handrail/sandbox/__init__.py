"""Where child processes start: launchers, with and without confinement."""
