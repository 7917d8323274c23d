"""The fields of a record, and the repository that they name in one of many ways."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from places import HOSTS, Place, host_of, is_on_repository_host, parse_repository, to_web_address
from values import MAX_ADDRESS, to_whole_line

REPOSITORY_NAMES = ("repo", "repository", "github", "full_name", "source", "repo_url", "repoUrl", "github_url")
PAGE_NAMES = ("url", "html_url", "homepage", "link")


@dataclass
class Record:
    """The fields of a record: those of its `source`, its own, then those of `metadata`."""

    own: dict
    source: dict = field(default_factory=dict)
    metadata: dict = field(default_factory=dict)

    @classmethod
    def of(cls, value: dict) -> "Record":
        parts = {name: value[name] for name in ("source", "metadata") if isinstance(value.get(name), dict)}
        return cls(value, **parts)

    def parts(self) -> tuple[dict, dict]:
        return self.own, self.metadata

    def first(self, names: tuple[str, ...], parse: Callable) -> object:
        """The first usable value at the top or under `metadata`."""
        return self.first_of(self.parts(), names, parse)

    def first_placed(self, names: tuple[str, ...], parse: Callable) -> object:
        """The same, but a `source` object goes first."""
        return self.first_of((self.source, self.own, self.metadata), names, parse)

    @staticmethod
    def first_of(parts: tuple[dict, ...], names: tuple[str, ...], parse: Callable) -> object:
        values = (parse(part[name]) for part in parts for name in names if part.get(name) is not None)
        return next((value for value in values if value not in (None, "", [])), None)


def find_repositories(record: Record) -> Iterator[Place]:
    """A web address on an unknown host is a repository where a field is named so, but only a page in `source`."""
    parts = (record.source, record.own, record.metadata)
    for part, name in ((part, name) for part in parts for name in REPOSITORY_NAMES if name in part):
        place = None if name == "source" and is_page(part[name]) else to_repository(part[name])
        if place is not None:
            yield place
    for part, name in ((part, name) for part in parts for name in PAGE_NAMES if name in part):
        is_repository = isinstance(part[name], str) and is_on_repository_host(part[name])
        place = to_repository(part[name]) if is_repository else None
        if place is not None:
            yield place


def find_repository(record: Record) -> Place | None:
    return next(find_repositories(record), None) or record.first(("installUrl", "install"), to_github)


def find_host(record: Record, repo: str | None) -> str | None:
    """The host of `owner/name`: from the address of the same repository in another field, else beside it."""
    if repo is None:
        return None
    others = (place.host for place in find_repositories(record) if place.repo.lower() == repo.lower())
    beside = [record.source.get(name) for name in ("host", "provider", "type")]
    named = [HOSTS.get(name, name) for name in beside if isinstance(name, str)]
    return next(filter(None, others), None) or next((name for name in named if name in HOSTS.values()), None)


def is_page(value: object) -> bool:
    return isinstance(value, str) and "://" in value and not is_on_repository_host(value)


def to_page_elsewhere(value: object) -> str | None:
    """The address of a repository outside GitHub is never on GitHub."""
    line = to_web_address(value)
    return None if line is None or host_of(line).endswith(("github.com", "githubusercontent.com")) else line


def to_repository(value: object) -> Place | None:
    if isinstance(value, dict):
        value = value.get("url") or value.get("html_url") or value.get("full_name")
    line = to_whole_line(value, MAX_ADDRESS)
    return None if line is None else parse_repository(line)


def to_github(value: object) -> Place | None:
    line = to_whole_line(value, MAX_ADDRESS)
    return parse_repository(line) if line is not None and line.startswith("github:") else None
