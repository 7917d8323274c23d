"""Workers: programs that take tasks from a fleet and run them."""

from ._context import Context
from ._report import AbortReason, TaskAborted, TaskError
from ._worker import Worker

__all__ = ["AbortReason", "Context", "TaskAborted", "TaskError", "Worker"]
