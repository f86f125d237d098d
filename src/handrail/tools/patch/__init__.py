"""Patches in the envelope that OpenAI's models write: taken apart, and applied to text. Pure."""
