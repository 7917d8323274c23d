"""Repositories, paths and addresses, as registries write them."""

import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from values import MAX_ADDRESS, to_whole_line

HOSTS = {
    "github": "github.com",
    "gitlab": "gitlab.com",
    "bitbucket": "bitbucket.org",
    "codeberg": "codeberg.org",
    "gitee": "gitee.com",
}
# First segments of addresses on GitHub that are not owners; those that occur.
GITHUB_PAGES = ("topics", "search", "marketplace", "features", "orgs", "sponsors", "settings")


@dataclass
class Place:
    repo: str | None = None
    path: str | None = None
    ref: str | None = None
    url: str | None = None
    host: str | None = None
    """Unknown for `owner/name`."""


def is_owner_and_name(text: str) -> bool:
    if text.lower() == "n/a" or not re.fullmatch(r"[\w.-]+/[\w.-]+", text):
        return False
    return not any(part.strip(".") == "" for part in text.split("/"))


def is_web_address(text: str) -> bool:
    return text.lower().startswith(("https://", "http://")) and bool(host_of(text))


def host_of(address: str) -> str:
    """In lower case, without `www.` and port; empty for what is no address."""
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        return ""
    return host.removeprefix("www.") if re.fullmatch(r"[\w.-]+", host) else ""


def parse_repository(text: str) -> Place | None:
    """`owner/name`, `github:owner/name[:path]`, `git@host:owner/name`, or the address of a repository or folder."""
    if is_owner_and_name(text):
        return Place(repo=text.removesuffix(".git"))
    if text.startswith("github:"):
        repo, _, path = text.removeprefix("github:").partition(":")
        return Place(repo=repo, path=path or None, host="github.com") if is_owner_and_name(repo) else None
    if found := re.fullmatch(r"(?:ssh://)?git@([\w.-]+)[:/]([\w.-]+/[\w.-]+?)(?:\.git)?", text):
        return Place(repo=found[2], host=found[1])
    return parse_web_address(text.removeprefix("git+"), text)


def parse_web_address(address: str, given: str) -> Place | None:
    """The repository of a web address, and the folder that the address of a tree, blob or raw file names."""
    if not is_web_address(address):
        return None
    host = host_of(address)
    segments = [unquote(segment) for segment in urlsplit(address).path.split("/") if segment not in ("", "-")]
    if host == "raw.githubusercontent.com":
        segments.insert(2, "tree")
    rest = segments[2:]
    is_folder = len(rest) > 1 and rest[0] in (("src",) if host == "bitbucket.org" else ("tree", "blob"))
    is_page = host == "github.com" and segments[:1] and segments[0] in GITHUB_PAGES
    if len(segments) < 2 or is_page or (rest and not is_folder):
        return None
    return Place(
        repo=f"{segments[0]}/{segments[1].removesuffix('.git')}",
        ref=rest[1] if is_folder else None,
        path="/".join(rest[2:]) or None if is_folder else None,
        url=given if is_web_address(given) else None,
        host="github.com" if host == "raw.githubusercontent.com" else host,
    )


def is_on_repository_host(text: str) -> bool:
    host = host_of(text)
    if host in HOSTS.values() or host == "raw.githubusercontent.com":
        return True
    return re.search(r"^(git\+|git@|ssh:|github:)|\.git([/?#]|$)", text) is not None


def to_safe_path(value: object) -> str | None:
    path = to_whole_line(value, MAX_ADDRESS) if isinstance(value, str) else None
    is_unsafe = path is None or path.startswith(("/", "\\", "~")) or re.match("[a-zA-Z]:", path)
    return None if is_unsafe or ".." in re.split(r"[/\\]", path) else path


def to_web_address(value: object) -> str | None:
    line = to_whole_line(value, MAX_ADDRESS)
    return line if line is not None and is_web_address(line) else None
