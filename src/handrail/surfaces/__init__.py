"""Where people and programs meet the runtime. A surface holds no rules of its own."""
