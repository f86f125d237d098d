"""What a model is told beside the conversation: who it is, where it works, what the project asks for, and the mode."""
