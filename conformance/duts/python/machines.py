"""The state machines of a path, as chapters 7 and 9 print them: the blocks of data of the text.

A line of a table: states, events, the state after them ("" is the same), and the counter of an
event that is ignored. A state and an event that stand in no line cannot meet.
"""

from __future__ import annotations

from typing import Dict, List, Tuple

Row = Tuple[str, str, str, str]

MACHINES: Dict[str, List[Row]] = {
    "path": [
        ("free", "open-wanted", "opening", ""),
        ("opening", "accepted", "", ""),
        ("opening", "answered", "active", ""),
        ("opening", "refused", "free", ""),
        ("opening", "open-expires", "", ""),
        (
            "free opening active active-to-epoch active-to-close suspect "
            "suspect-to-epoch suspect-to-close denied",
            "answer-old",
            "",
            "stale-path-answer",
        ),
        ("opening", "block-old", "", ""),
        (
            "active active-to-epoch active-to-close suspect suspect-to-epoch suspect-to-close",
            "block-old",
            "",
            "",
        ),
        ("active active-to-epoch active-to-close", "block-news", "", ""),
        ("suspect", "block-news", "active", ""),
        ("suspect-to-epoch", "block-news", "active-to-epoch", ""),
        ("suspect-to-close", "block-news", "active-to-close", ""),
        ("active active-to-epoch suspect suspect-to-epoch", "loss-limit", "opening", ""),
        ("active-to-close suspect-to-close", "loss-limit", "free", ""),
        ("active active-to-epoch", "verdict-failed", "opening", ""),
        ("active-to-close", "verdict-failed", "free", ""),
        ("active", "verdict-suspect", "suspect", ""),
        ("active-to-epoch", "verdict-suspect", "suspect-to-epoch", ""),
        ("active-to-close", "verdict-suspect", "suspect-to-close", ""),
        ("suspect suspect-to-epoch", "rto-failed", "opening", ""),
        ("suspect-to-close", "rto-failed", "free", ""),
        ("suspect suspect-to-epoch suspect-to-close", "rto-stays", "", ""),
        ("opening", "plane-down", "", ""),
        ("active active-to-epoch suspect suspect-to-epoch", "plane-down", "opening", ""),
        ("active-to-close suspect-to-close", "plane-down", "free", ""),
        ("opening", "plane-up", "", ""),
        ("free", "deny", "denied", ""),
        ("opening", "deny", "denied", ""),
        (
            "active active-to-epoch active-to-close suspect suspect-to-epoch suspect-to-close",
            "deny",
            "denied",
            "",
        ),
        ("denied", "deny", "", "operator-ignored"),
        ("denied", "lift", "free", ""),
        (
            "free opening active active-to-epoch active-to-close suspect "
            "suspect-to-epoch suspect-to-close",
            "lift",
            "",
            "operator-ignored",
        ),
        ("opening", "bad-epoch", "", ""),
        ("active active-to-epoch suspect suspect-to-epoch", "bad-epoch", "opening", ""),
        ("active-to-close suspect-to-close", "bad-epoch", "free", ""),
        (
            "free opening active active-to-epoch active-to-close suspect "
            "suspect-to-epoch suspect-to-close denied",
            "bad-epoch-old",
            "",
            "stale-bad-epoch",
        ),
        ("active", "drain-to-epoch", "active-to-epoch", ""),
        ("active", "drain-to-close", "active-to-close", ""),
        ("opening", "close-asked", "free", ""),
        ("active active-to-epoch", "close-asked", "active-to-close", ""),
        ("suspect suspect-to-epoch", "close-asked", "suspect-to-close", ""),
        ("active-to-close suspect-to-close", "close-asked", "", ""),
        ("active-to-epoch", "drained", "opening", ""),
        ("active-to-close", "drained", "free", ""),
        (
            "free opening active active-to-epoch active-to-close suspect "
            "suspect-to-epoch suspect-to-close denied",
            "connection-ends",
            "free",
            "",
        ),
    ],
    "ladder": [
        ("idle", "flight-begins", "wait", ""),
        ("burst-1 burst-2 burst-3 rto", "flight-begins", "", ""),
        ("wait", "news old", "", ""),
        ("burst-1 burst-2 burst-3 rto", "news", "wait", ""),
        ("idle", "news-empty old-empty", "", ""),
        ("wait", "news-empty old-empty", "idle", ""),
        ("burst-1 burst-2 burst-3 rto", "news-empty", "idle", ""),
        ("burst-1 burst-2 burst-3 rto", "old old-empty", "", ""),
        ("wait", "expires", "burst-1", ""),
        ("burst-1", "expires", "burst-2", ""),
        ("burst-2", "expires", "burst-3", ""),
        ("burst-3", "verdict-failed", "idle", ""),
        ("burst-3", "verdict-suspect", "rto", ""),
        ("rto", "rto-failed", "idle", ""),
        ("rto", "rto-stays", "", ""),
        ("idle wait burst-1 burst-2 burst-3 rto", "epoch-ends", "idle", ""),
    ],
    "path-close": [
        ("idle", "close-wanted", "waiting", ""),
        ("waiting", "close-wanted", "", ""),
        ("waiting", "reply-matched", "idle", ""),
        ("idle waiting", "reply-other", "", "stale-path-answer"),
        ("waiting", "repeat-expires", "", ""),
        ("waiting", "tries-spent", "idle", ""),
        ("idle", "path-opened", "", ""),
        ("waiting", "path-opened", "idle", ""),
        ("idle", "connection-ends", "", ""),
        ("waiting", "connection-ends", "idle", ""),
    ],
    "receive-path": [
        ("none", "open-no-path", "", ""),
        ("open", "open-again", "", ""),
        ("none open", "open-old", "", "stale-path-open"),
        ("open", "open-too-often", "", ""),
        ("none", "open-no-context", "", ""),
        ("none", "open-new", "open", ""),
        ("open", "open-new", "", ""),
        ("open", "close-current", "none", ""),
        ("none open", "close-other", "", ""),
        ("open", "arrival", "", ""),
        ("none open", "other-epoch", "", ""),
        ("open", "silence", "none", ""),
        ("open", "reclaim", "", ""),
        ("none open", "connection-ends", "none", ""),
    ],
}


class Machine:
    """One machine in one of its states."""

    def __init__(self, name: str, state: str) -> None:
        self._rows = MACHINES[name]
        self.state = state

    def states(self) -> List[str]:
        """Every state that some event finds."""
        return sorted({state for states, _, _, _ in self._rows for state in states.split()})

    def take(self, event: str) -> str:
        """The event comes: gives the counter if it is ignored, else ""."""
        for states, events, after, counter in self._rows:
            if self.state in states.split() and event in events.split():
                self.state = after or self.state
                return counter
        raise ValueError(f"{event} cannot come in {self.state}")
