"""Skills: folders with a SKILL.md, as other agents have them too. Found, read and put under trust like settings."""
