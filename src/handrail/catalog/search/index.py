"""Ranks documents by the words they share with a query: Okapi BM25 over weighted fields. Pure.

Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009): a word counts for more the rarer
it is, and for less each time it comes again; k1 and b as they advise. A field's weight multiplies how often its words
count (BM25F, the same place, section 3.6).
"""

from __future__ import annotations

import heapq
import math
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from handrail.contract.values import value

K1 = 1.2
B = 0.75

BEGINNING = 3
"""Letters of a query's word that find longer words which begin so."""
MOST_LONGER = 32
"""How many longer words one word finds at most."""
LONGER = 0.4
"""What a longer word counts beside the word itself."""


@value
class Field:
    """Words of a document that count alike."""

    words: Sequence[str]
    weight: float


class Index:
    """Documents by their words. What each word adds to each document's score is worked out when it is made."""

    def __init__(self, documents: Iterable[Sequence[Field]]) -> None:
        counts = [_weighted(fields) for fields in documents]
        lengths = [sum(each.values()) for each in counts]
        average = sum(lengths) / len(lengths) if lengths else 0.0
        holders: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for place, each in enumerate(counts):
            for word, count in each.items():
                holders[word].append((place, _saturated(count, lengths[place], average)))
        self._scores = {word: _rarity(len(held), len(counts), held) for word, held in holders.items()}
        self._words = sorted(self._scores)

    def ranked(self, words: Iterable[str]) -> Iterator[int]:
        """The places of the documents that share a word, the best first; of equals the earlier."""
        totals: dict[int, float] = defaultdict(float)
        for word in dict.fromkeys(words):
            for place, score in self._best_of(word).items():
                totals[place] += score
        heap = [(-score, place) for place, score in totals.items()]
        heapq.heapify(heap)
        while heap:
            yield heapq.heappop(heap)[1]

    def _best_of(self, word: str) -> Mapping[int, float]:
        """What one word of a query adds: itself, or where it counts for more, a longer word that begins so."""
        found = dict(self._scores.get(word, ()))
        for longer in self._beginning_with(word):
            for place, score in self._scores[longer]:
                found[place] = max(found.get(place, 0.0), score * LONGER)
        return found

    def _beginning_with(self, word: str) -> Iterator[str]:
        if len(word) < BEGINNING:
            return
        start = bisect_left(self._words, word)
        for known in self._words[start : start + MOST_LONGER]:
            if not known.startswith(word):
                return
            if known != word:
                yield known


def _weighted(fields: Sequence[Field]) -> Mapping[str, float]:
    counts: Counter[str] = Counter()
    total: dict[str, float] = defaultdict(float)
    for field in fields:
        counts = Counter(field.words)
        for word, count in counts.items():
            total[word] += count * field.weight
    return total


def _saturated(count: float, length: float, average: float) -> float:
    return count * (K1 + 1) / (count + K1 * (1 - B + B * length / average))


def _rarity(holders: int, documents: int, held: list[tuple[int, float]]) -> tuple[tuple[int, float], ...]:
    """Each score times the word's inverse document frequency, which is never negative in this form."""
    rarity = math.log(1 + (documents - holders + 0.5) / (holders + 0.5))
    return tuple((place, score * rarity) for place, score in held)
