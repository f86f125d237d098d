"""PowerShell: the same facts as of other shells, from its own syntax, cmdlets and ways to give them arguments.

`syntax` parses and says what can be judged, `calls` takes a text apart, `binding` gives the arguments to the
parameters of a cmdlet, `meaning` says what comes of it. What cmdlets do is data: `reading.toml`, `changing.toml` and
`names.toml`.
"""
