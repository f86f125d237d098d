"""What `handrail demo` plays with: a sample project, a policy, and a script."""
