"""What `handrail doctor` looks at. Each check gives findings; none changes anything."""
