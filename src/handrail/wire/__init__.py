"""Provider JSON to calls, and results back to provider JSON. Pure: no I/O, no SDKs.

`read` takes a whole input, `decode` one parsed response; both give `Response`, whose calls are the client's
to answer; `StreamReader` gives them while the stream still comes. `encode` gives what to append to the
conversation, and `encode_request` the body that sends it. One module per wire; `detect` tells them apart.
"""

from handrail.wire.early import StreamReader
from handrail.wire.menu import encode_menu
from handrail.wire.read import decode, encode, read
from handrail.wire.request import Habits, Question, encode_request
from handrail.wire.response import Answer, Response, Wire

__all__ = [
    "Answer",
    "Habits",
    "Question",
    "Response",
    "StreamReader",
    "Wire",
    "decode",
    "encode",
    "encode_menu",
    "encode_request",
    "read",
]
