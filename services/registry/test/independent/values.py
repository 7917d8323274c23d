"""Texts, numbers, times and digests, as the registry service should serve them."""

import re
import unicodedata
from datetime import datetime, timedelta, timezone

MAX_NAME = 200
MAX_DESCRIPTION = 8_192
MAX_LABEL = 200
MAX_VERSION = 64
MAX_ADDRESS = 1_024
MAX_TAG = 64
MAX_TAGS = 100

SPACES = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
BIDIRECTIONAL = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")
SHA256 = re.compile(r"(?:sha256[:-])?([0-9a-fA-F]{64})")
DATE = re.compile(r"\d{4}-\d\d-\d\d([T ].*)?")


def is_unprintable(char: str, kept: str) -> bool:
    return char not in kept and (unicodedata.category(char) == "Cc" or char in BIDIRECTIONAL)


def has_letters(text: str) -> bool:
    return any(unicodedata.category(char)[0] in "LN" or unicodedata.category(char) == "So" for char in text)


def cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most].rstrip()


def to_line(value: object) -> str:
    """One line without control characters; empty for other types. To JSON, 1.0 and 1 are the same number."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
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


def to_labels(value: object) -> list[str]:
    labels = (to_label(item) for item in (value if isinstance(value, list) else [value]))
    return [label for label in labels if label is not None]


def to_license(value: object) -> str | None:
    return to_label(value.get("spdx_id") or value if isinstance(value, dict) else value)


def to_version(value: object) -> str | None:
    line = to_whole_line(value, MAX_VERSION)
    return line if line is not None and has_letters(line) else None


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


def to_count(value: object) -> int | None:
    if isinstance(value, str) and re.fullmatch("[0-9]{1,15}", value.strip()):
        value = int(value)
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return int(value) if is_number and 0 <= value < 2**53 else None


def to_time(value: object) -> str | None:
    """RFC 3339 in UTC, with milliseconds, from ISO 8601 or from seconds or milliseconds since 1970."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        seconds = value if value < 1e11 else value / 1_000
        moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=seconds) if seconds >= 1e9 else None
    else:
        moment = to_moment(value)
    if moment is None or moment.year < 1970:
        return None
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1_000:03}Z"


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
