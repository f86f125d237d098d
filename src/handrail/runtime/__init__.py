"""Carries calls out: order, approvals, journal, execution. Start reading at `executor`."""
