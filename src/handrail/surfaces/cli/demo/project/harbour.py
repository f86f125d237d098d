"""Depth of water at the harbour entrance."""


def clearance(depth_m: float, draught_m: float, tide_m: float) -> float:
    """Metres between keel and ground: negative means that the ship is aground."""
    return depth_m - tide_m - draught_m


def may_enter(depth_m: float, draught_m: float, tide_m: float, margin_m: float = 0.5) -> bool:
    return clearance(depth_m, draught_m, tide_m) >= margin_m
