"""The log of outages."""

from __future__ import annotations

import logging
import time

logger = logging.getLogger("agent_fleet.worker")


class Availability:
    """Logs each outage of the fleet twice: when it begins and when it ends."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._since: float | None = None

    def unavailable(self, reason: object) -> None:
        if self._since is None:
            self._since = time.monotonic()
            logger.warning("The fleet at %s is unavailable (%s); retrying", self._url, reason)

    def available(self) -> None:
        if self._since is not None:
            logger.info("The fleet is available again after %.1f s", time.monotonic() - self._since)
            self._since = None
