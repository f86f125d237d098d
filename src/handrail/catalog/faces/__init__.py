"""How the model families know the tools: names, parameters, descriptions. The knowledge is data."""

from __future__ import annotations

from handrail.catalog.faces.face import Face
from handrail.catalog.faces.family import OURS, Family
from handrail.catalog.faces.loading import face, faces_of, families, family_of

__all__ = ["OURS", "Face", "Family", "face", "faces_of", "families", "family_of"]
