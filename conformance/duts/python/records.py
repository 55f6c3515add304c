"""Records: sets of named values, as chapter 15 uses them everywhere [CONF-RECORDS].

A record is a plain dict. The Python type of a value is its kind: an int is a number, bytes are
data, a str is a word.
"""

from __future__ import annotations

import re
from typing import Collection, Dict, Optional, Union

Value = Union[int, bytes, str]
Record = Dict[str, Value]


class DutError(Exception):
    """What was asked cannot be done; the sentence goes into the answer `Error` [CONF-ERROR]."""


class Reader:
    """Takes the fields of a record one by one, and then insists that none is left."""

    def __init__(self, record: Record) -> None:
        self._left = dict(record)

    def __contains__(self, name: str) -> bool:
        return name in self._left

    def number(self, name: str, bits: int, default: Optional[int] = None) -> int:
        """The number called `name`, which has to fit into `bits` bits."""
        value = self._left.pop(name, default)
        if value is None:
            raise DutError(f"{name} must be given")
        if not isinstance(value, int):
            raise DutError(f"{name} must be a number")
        if value >> bits:
            raise DutError(f"{name} is {value} and does not fit into {bits} bits")
        return value

    def data(self, name: str, lengths: Collection[int], default: bytes = b"") -> bytes:
        """The data called `name`. A value that is given has one of the `lengths`."""
        if name not in self._left:
            return default
        value = self._left.pop(name)
        if not isinstance(value, bytes):
            raise DutError(f"{name} must be data")
        if len(value) not in lengths:
            raise DutError(f"{name} has a length of {len(value)} bytes, which it cannot have")
        return value

    def word(self, name: str, words: Collection[str]) -> str:
        """The word called `name`, which is one of the list `words`."""
        value = self._left.pop(name, None)
        if not isinstance(value, str) or value not in words:
            raise DutError(f"{name} must be one of: {', '.join(words)}")
        return value

    def count(self, prefix: str) -> int:
        """How many i there are with a field `prefix[i]`; they have no gap [CONF-ENCODE]."""
        pattern = re.compile(re.escape(prefix) + r"\[(0|[1-9][0-9]{0,8})\]")
        matches = (pattern.match(name) for name in self._left)
        indices = {int(match.group(1)) for match in matches if match}
        if indices and max(indices) != len(indices) - 1:
            raise DutError(f"the indices of {prefix} have a gap")
        return len(indices)

    def names(self) -> Collection[str]:
        """The names of the fields not yet taken."""
        return list(self._left)

    def rest(self) -> Record:
        """The fields not yet taken, which this takes."""
        rest, self._left = self._left, {}
        return rest

    def finish(self) -> None:
        """Every field must have been taken by now."""
        if self._left:
            raise DutError(f"there is no place here for: {', '.join(sorted(self._left))}")
