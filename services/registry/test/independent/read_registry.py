"""Reads a registry file and prints, for each record, the skill that the registry service should serve for it.

Usage: python3 read_registry.py FILE [ADDRESS]

ADDRESS is the web address of the file, whose repository has the folders that a marketplace names.

Prints one JSON object per line. A second reading of README.md's "Input format", which shares no code with the service:
where both differ, one of them is wrong. Only Python's standard library is used.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

from places import Place, parse_repository, to_safe_path, to_web_address
from record import PAGE_NAMES, REPOSITORY_NAMES, Record, find_host, find_repository, to_page_elsewhere
from values import (
    MAX_ADDRESS,
    MAX_NAME,
    fold,
    to_count,
    to_digest,
    to_label,
    to_labels,
    to_license,
    to_line,
    to_paragraph,
    to_tags,
    to_time,
    to_version,
    to_whole_line,
)

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
PATH_NAMES = ("path", "relPath", "skillPath")
REF_NAMES = ("ref", "branch", "commit", "commit_sha", "commitHash", "sha")
FOLDER_DIGEST_NAMES = ("contentHash", "content_hash", "checksum", "hash")

KINDS = {
    "plugin": "plugin",
    "mcp": "mcp_server",
    "mcp_server": "mcp_server",
    "agent": "agent",
    "hook": "hook",
    "setting": "setting",
    "command": "command",
}


@dataclass
class Registry:
    """A file: its records, the repository that it names for all of them, and its categories by what names them."""

    records: list[tuple[str | None, object]]
    is_marketplace: bool = False
    owner: str | None = None
    repository: Place = field(default_factory=Place)
    """In which the file lies."""
    place: Place = field(default_factory=Place)
    category_ids: dict[str, str] = field(default_factory=dict)

    def to_category(self, label: str) -> str:
        """The id of a category; the first spelling counts."""
        return self.category_ids.setdefault(fold(label), label)


def open_registry(path: str, address: str | None) -> Registry:
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
        to_label(root.get("owner")) if is_marketplace else None,
        (parse_repository(address) if address else None) or Place(),
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


def is_within_marketplace(record: Record, registry: Registry) -> bool:
    """A `source` of this kind is a folder of the marketplace's repository, which the file itself does not name."""
    return registry.is_marketplace and isinstance(record.own.get("source"), str)


def read_place(record: Record, registry: Registry) -> Place:
    if is_within_marketplace(record, registry):
        path = to_safe_path(record.own["source"].removeprefix("./").rstrip("/"))
        page = record.first_placed(PAGE_NAMES, to_web_address)
        return Place(registry.repository.repo, path, registry.repository.ref, page)
    found = find_repository(record) or registry.place
    host = found.host or find_host(record, found.repo)
    is_elsewhere = host not in (None, "github.com")
    url = record.first_placed(PAGE_NAMES, to_page_elsewhere if is_elsewhere else to_web_address)
    url = url or found.url or (f"https://{host}/{found.repo}" if is_elsewhere else None)
    if found.repo is None:
        url = url or record.first_placed(REPOSITORY_NAMES, to_web_address)
    path = record.first_placed(PATH_NAMES, to_safe_path) or found.path
    ref = record.first_placed(REF_NAMES, lambda value: to_whole_line(value, MAX_ADDRESS)) or found.ref
    return Place(found.repo, path, ref, url)


def read_categories(record: Record, registry: Registry) -> list[str]:
    """Those of `category` and `categories` together."""
    parts = ([label for name in CATEGORY_NAMES for label in to_labels(part.get(name))] for part in record.parts())
    return list(dict.fromkeys(registry.to_category(label) for label in next(filter(None, parts), [])))


def read_kind(record: Record, registry: Registry) -> str:
    if registry.is_marketplace:
        return "plugin"
    return record.first(("kind", "type"), lambda value: KINDS.get(value) if isinstance(value, str) else None) or "skill"


def read_digest(record: Record) -> tuple[str | None, str | None]:
    digest = record.first(("digest", "sha256"), to_digest)
    if digest is not None:
        files = [name for part in (record.own, record.metadata) for name in part.get("files") or []]
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
    owner = (place.repo or "").split("/")[0] or (registry.owner if is_within_marketplace(record, registry) else None)
    return {
        "name": name,
        "display_name": record.first(("display_name", "displayName"), to_label) or title or name,
        "description": record.first(DESCRIPTION_NAMES, to_paragraph) or "",
        "kind": read_kind(record, registry),
        "category": categories[0] if categories else None,
        "categories": categories,
        "tags": record.first(TAG_NAMES, to_tags) or [],
        "author": record.first(AUTHOR_NAMES, to_label) or owner,
        "source": {"repo": place.repo, "path": place.path, "ref": place.ref, "url": place.url},
        "license": record.first(("license", "licence"), to_license),
        "version": record.first(("version",), to_version),
        "stars": record.first(STAR_NAMES, to_count),
        "downloads": record.first(DOWNLOAD_NAMES, to_count),
        "featured": bool(record.first(FEATURED_NAMES, lambda flag: flag if isinstance(flag, bool) else None)),
        "updated_at": record.first(UPDATE_NAMES, to_time),
        "digest": digest,
        "digest_of": digest_of,
    }


def main() -> None:
    registry = open_registry(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None)
    for key, value in registry.records:
        skill = to_skill(key, value, registry) if isinstance(value, dict) else None
        if skill is not None:
            print(json.dumps(skill))


if __name__ == "__main__":
    main()
