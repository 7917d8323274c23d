"""Reads a registry file and prints, for each record, the skill that the registry service should serve for it.

Usage: python3 read_registry.py FILE

Prints one JSON object per line. A second reading of README.md's "Input format", which shares no code with the service:
where both differ, one of them is wrong. Only Python's standard library is used.
"""

import json
import re
import sys
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from urllib.parse import unquote, urlsplit

MAX_NAME = 200
MAX_DESCRIPTION = 8_192
MAX_LABEL = 200
MAX_VERSION = 64
MAX_ADDRESS = 1_024
MAX_TAG = 64
MAX_TAGS = 100

LIST_NAMES = ("skills", "plugins", "items", "rows", "docs", "entries")
ID_NAMES = ("id", "slug", "key")
DESCRIPTION_NAMES = ("description", "summary")
CATEGORY_NAMES = ("category", "categories")
TAG_NAMES = ("tags", "keywords", "topics")
AUTHOR_NAMES = ("author", "authors", "creator", "maintainer")
STAR_NAMES = ("stars", "stargazers_count", "star_count", "github_stars")
DOWNLOAD_NAMES = ("downloads", "download_count", "installs", "install_count")
FEATURED_NAMES = ("featured", "isFeatured")
UPDATE_NAMES = ("updated_at", "updatedAt", "last_updated_at", "last_updated", "lastUpdated", "updated")
REPOSITORY_NAMES = ("repo", "repository", "github", "full_name", "source", "repo_url", "repoUrl", "github_url")
PAGE_NAMES = ("url", "html_url", "homepage", "link")
PATH_NAMES = ("path", "relPath", "skillPath")
REF_NAMES = ("ref", "branch", "commit", "commit_sha", "commitHash", "sha")
FOLDER_DIGEST_NAMES = ("contentHash", "content_hash", "checksum", "hash")

REPOSITORY_HOSTS = ("github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "gitee.com")
KINDS = {
    "plugin": "plugin",
    "mcp": "mcp_server",
    "mcp_server": "mcp_server",
    "agent": "agent",
    "hook": "hook",
    "setting": "setting",
    "command": "command",
}

SPACES = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
BIDIRECTIONAL = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")
SHA256 = re.compile(r"(?:sha256[:-])?([0-9a-fA-F]{64})")
DATE = re.compile(r"\d{4}-\d\d-\d\d([T ].*)?")


# Texts


def is_unprintable(char: str, kept: str) -> bool:
    return char not in kept and (unicodedata.category(char) == "Cc" or char in BIDIRECTIONAL)


def has_letters(text: str) -> bool:
    return any(unicodedata.category(char)[0] in "LN" or unicodedata.category(char) == "So" for char in text)


def cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most].rstrip()


def to_line(value: object) -> str:
    """One line without control characters; empty for other types."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    spaced = re.sub(f"[{SPACES}]+", " ", str(value))
    return "".join(char for char in spaced if not is_unprintable(char, "")).strip()


def to_paragraph(value: object) -> str:
    """A text that keeps its line breaks and tabs; empty without letters."""
    if not isinstance(value, str):
        return ""
    broken = re.sub("\r\n?", "\n", value)
    text = "".join(char for char in broken if not is_unprintable(char, "\n\t"))
    text = re.sub(f"^[{SPACES}]+|[{SPACES}]+$", "", text)
    return cut(text, MAX_DESCRIPTION) if has_letters(text) else ""


def to_label(value: object, most: int = MAX_LABEL) -> str | None:
    """A text, the name of an object, or the first of a list of these."""
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, dict):
        value = next((value[name] for name in ("name", "login", "username", "id", "slug") if value.get(name)), None)
    line = cut(to_line(value), most)
    return line if has_letters(line) else None


def to_whole_line(value: object, most: int) -> str | None:
    """A line that is not worth anything once it is cut."""
    line = to_line(value)
    return line if 0 < len(line) <= most else None


def fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def to_tags(value: object) -> list[str]:
    items = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    tags: dict[str, str] = {}
    for item in items:
        tag = to_label(item, MAX_TAG)
        if tag is not None and len(tags) < MAX_TAGS:
            tags.setdefault(fold(tag), tag)
    return list(tags.values())


# Numbers, times and digests


def to_count(value: object) -> int | None:
    if isinstance(value, str) and value.strip().isdigit():
        value = int(value)
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return int(value) if is_number and value >= 0 else None


def to_time(value: object) -> str | None:
    """RFC 3339 in UTC, with milliseconds, from ISO 8601 or from seconds or milliseconds since 1970."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        seconds = value if value < 1e11 else value / 1_000
        moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=seconds) if seconds >= 1e9 else None
    else:
        moment = to_moment(value)
    return None if moment is None else moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1_000:03}Z"


def to_moment(value: object) -> datetime | None:
    if not isinstance(value, str) or not DATE.fullmatch(value.strip()):
        return None
    try:
        moment = datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    return moment.replace(tzinfo=timezone.utc) if moment.tzinfo is None else moment.astimezone(timezone.utc)


def to_digest(value: object) -> str | None:
    found = SHA256.fullmatch(value.strip()) if isinstance(value, str) else None
    return f"sha256:{found[1].lower()}" if found else None


# Places


@dataclass
class Place:
    repo: str | None = None
    path: str | None = None
    ref: str | None = None
    url: str | None = None


def is_owner_and_name(text: str) -> bool:
    return re.fullmatch(r"[\w.-]+/[\w.-]+", text) is not None and not set(text.split("/")) & {".", ".."}


def is_web_address(text: str) -> bool:
    return text.lower().startswith(("https://", "http://")) and bool(urlsplit(text).hostname)


def parse_repository(text: str) -> Place | None:
    """`owner/name`, `github:owner/name[:path]`, `git@host:owner/name.git` or the address of a repository or its folder."""
    if is_owner_and_name(text):
        return Place(repo=text.removesuffix(".git"))
    if text.startswith("github:"):
        repo, _, path = text.removeprefix("github:").partition(":")
        return Place(repo=repo, path=path or None) if is_owner_and_name(repo) else None
    if found := re.fullmatch(r"git@[\w.-]+:([\w.-]+/[\w.-]+?)(?:\.git)?", text):
        return Place(repo=found[1])
    return parse_web_address(text) if is_web_address(text) else None


def parse_web_address(text: str) -> Place | None:
    parts = urlsplit(text)
    segments = [unquote(segment) for segment in parts.path.split("/") if segment]
    is_known = (parts.hostname or "").removeprefix("www.") in REPOSITORY_HOSTS
    if len(segments) < 2 or not (is_known or parts.path.endswith(".git")):
        return None
    rest = [segment for segment in segments[2:] if segment != "-"]
    is_folder = len(rest) > 1 and rest[0] in ("tree", "blob")
    return Place(
        repo=f"{segments[0]}/{segments[1].removesuffix('.git')}",
        ref=rest[1] if is_folder else None,
        path="/".join(rest[2:]) or None if is_folder else None,
        url=text,
    )


def to_safe_path(value: object) -> str | None:
    path = to_whole_line(value, MAX_ADDRESS) if isinstance(value, str) else None
    is_unsafe = path is None or path.startswith(("/", "\\", "~")) or re.match("[a-zA-Z]:", path)
    return None if is_unsafe or ".." in re.split(r"[/\\]", path) else path


def to_web_address(value: object) -> str | None:
    line = to_whole_line(value, MAX_ADDRESS)
    return line if line is not None and is_web_address(line) else None


# Records


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

    def first(self, names: tuple[str, ...], parse) -> object:
        """The first usable value at the top or under `metadata`."""
        return self.first_of((self.own, self.metadata), names, parse)

    def first_placed(self, names: tuple[str, ...], parse) -> object:
        """The same, but a `source` object goes first."""
        return self.first_of((self.source, self.own, self.metadata), names, parse)

    @staticmethod
    def first_of(parts: tuple[dict, ...], names: tuple[str, ...], parse) -> object:
        values = (parse(part[name]) for part in parts for name in names if part.get(name) is not None)
        return next((value for value in values if value not in (None, "", [])), None)


@dataclass
class Registry:
    """A file: its records, the repository that it names for all of them, and its categories by what names them."""

    records: list[tuple[str | None, object]]
    is_marketplace: bool = False
    place: Place = field(default_factory=Place)
    category_ids: dict[str, str] = field(default_factory=dict)

    def to_category(self, label: str) -> str:
        """The id of a category; the first spelling counts."""
        return self.category_ids.setdefault(fold(label), label)


def open_registry(path: str) -> Registry:
    with open(path, encoding="utf-8-sig") as file:
        root = json.load(file)
    if isinstance(root, list):
        return Registry([(None, value) for value in root])
    name = next((name for name in LIST_NAMES if isinstance(root.get(name), (list, dict))), None)
    values = root if name is None else root[name]
    keyed = values.items() if isinstance(values, dict) else ((None, value) for value in values)
    is_marketplace = name == "plugins"
    return Registry(
        list(keyed),
        is_marketplace,
        Place() if is_marketplace or name is None else find_common_place(root),
        dict(find_categories(root.get("categories"))) if name is not None else {},
    )


def find_common_place(root: dict) -> Place:
    """The repository of a file whose records name only a path."""
    owner, repo = root.get("owner"), root.get("repo")
    joined = f"{owner}/{repo}" if isinstance(owner, str) and isinstance(repo, str) and "/" not in repo else None
    candidates = (joined, root.get("repository"), root.get("repoUrl"), repo)
    places = (parse_repository(text) for text in candidates if isinstance(text, str))
    return next((place for place in places if place is not None), Place())


def find_categories(declared: object) -> Iterator[tuple[str, str]]:
    items = declared.items() if isinstance(declared, dict) else ((None, item) for item in declared or [])
    for key, item in items:
        of_item = item if isinstance(item, dict) else {"name": item if key is None else None}
        label = to_label(key) or to_label(of_item.get("id")) or to_label(of_item.get("name"))
        for name in (label, to_label(of_item.get("name"))):
            if label is not None and name is not None:
                yield fold(name), label


def read_place(record: Record, registry: Registry) -> Place:
    given = record.own.get("source")
    if registry.is_marketplace and isinstance(given, str):
        return Place(path=to_safe_path(given.removeprefix("./").rstrip("/")))
    found = record.first_placed(REPOSITORY_NAMES, to_repository) or record.first_placed(PAGE_NAMES, to_hosted)
    found = found or record.first(("installUrl", "install"), to_github) or registry.place
    url = record.first_placed(PAGE_NAMES, to_web_address) or found.url
    path = record.first_placed(PATH_NAMES, to_safe_path) or found.path
    ref = record.first_placed(REF_NAMES, lambda value: to_whole_line(value, MAX_ADDRESS)) or found.ref
    return Place(found.repo, path, ref, url)


def to_repository(value: object) -> Place | None:
    if isinstance(value, dict):
        value = value.get("url") or value.get("html_url") or value.get("full_name")
    line = to_whole_line(value, MAX_ADDRESS)
    return None if line is None else parse_repository(line)


def to_hosted(value: object) -> Place | None:
    line = to_web_address(value)
    return None if line is None else parse_web_address(line)


def to_github(value: object) -> Place | None:
    line = to_whole_line(value, MAX_ADDRESS)
    return parse_repository(line) if line is not None and line.startswith("github:") else None


def read_categories(record: Record, registry: Registry) -> list[str]:
    given = record.first(CATEGORY_NAMES, lambda value: value)
    labels = (to_label(item) for item in (given if isinstance(given, list) else [given]))
    return list(dict.fromkeys(registry.to_category(label) for label in labels if label is not None))


def read_kind(record: Record, registry: Registry) -> str:
    if registry.is_marketplace:
        return "plugin"
    return record.first(("kind", "type"), lambda value: KINDS.get(value) if isinstance(value, str) else None) or "skill"


def read_digest(record: Record) -> tuple[str | None, str | None]:
    digest = record.first(("digest", "sha256"), to_digest)
    if digest is not None:
        files = record.own.get("files") or []
        return digest, "folder" if len(files) > 1 else "skill_md"
    digest = record.first(FOLDER_DIGEST_NAMES, to_digest)
    return digest, None if digest is None else "folder"


def to_skill(key: str | None, value: dict, registry: Registry) -> dict | None:
    """The expected skill; `None` for a record without name and id."""
    record = Record.of(value)
    given_id = record.first(ID_NAMES, to_line) or to_line(key)
    title = record.first(("title",), lambda text: to_label(text, MAX_NAME))
    name = record.first(("name",), lambda text: to_label(text, MAX_NAME))
    name = name or (None if given_id else title) or (given_id or "").rstrip("/").split("/")[-1]
    if not name:
        return None
    place = read_place(record, registry)
    categories = read_categories(record, registry)
    digest, digest_of = read_digest(record)
    owner = None if place.repo is None else place.repo.split("/")[0]
    return {
        "name": name,
        "display_name": record.first(("display_name", "displayName"), to_label) or title or name,
        "description": record.first(DESCRIPTION_NAMES, to_paragraph) or "",
        "kind": read_kind(record, registry),
        "category": categories[0] if categories else None,
        "categories": categories,
        "tags": record.first(TAG_NAMES, to_tags) or [],
        "author": record.first(AUTHOR_NAMES, to_label) or owner,
        "source": vars(place),
        "license": record.first(("license", "licence"), to_label),
        "version": record.first(("version",), lambda text: to_whole_line(text, MAX_VERSION)),
        "stars": record.first(STAR_NAMES, to_count),
        "downloads": record.first(DOWNLOAD_NAMES, to_count),
        "featured": bool(record.first(FEATURED_NAMES, lambda flag: flag if isinstance(flag, bool) else None)),
        "updated_at": record.first(UPDATE_NAMES, to_time),
        "digest": digest,
        "digest_of": digest_of,
    }


def main() -> None:
    registry = open_registry(sys.argv[1])
    for key, value in registry.records:
        skill = to_skill(key, value, registry) if isinstance(value, dict) else None
        if skill is not None:
            print(json.dumps(skill))


if __name__ == "__main__":
    main()
