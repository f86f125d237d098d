"""The parts of the conformance kit; `handrail.testing.conformance` puts them together."""
