"""Where Handrail keeps things on this platform, and what people set."""
