"""The agent: the loop between a model and a session, what the model is told, models of many providers, subagents."""
