"""The model loop. Here so far: the protocol to a model, a scripted one, and the smallest loop."""
