"""`handrail run`: one task for a model, carried out in front of a person or a program."""
