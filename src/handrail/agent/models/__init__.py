"""Models at providers: who they are, how they are asked over HTTP, what they cost. `model_of` makes one of a name.

Nothing here loads an HTTP client before the first request.
"""
