"""Workers: programs that take tasks from a fleet and run them."""

from ._context import Context
from ._conversation import InboxMessage
from ._report import AbortReason, TaskAborted, TaskError
from ._worker import Worker

__all__ = ["AbortReason", "Context", "InboxMessage", "TaskAborted", "TaskError", "Worker"]
