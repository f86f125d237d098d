"""The vocabulary: tools, invocations, effects, call states, results, and the ports. No I/O.

Read in this order: `effects`, `tool`, `calls`, `decision`, `results`, `context`, `ports`.
"""
