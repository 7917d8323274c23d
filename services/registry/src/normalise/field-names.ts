const SLOTS = new Map<string, number>();

/** A field of a skill: the slots of the names that registries use for it, preferred first. */
export interface Field {
  slots: readonly number[];
  /** Whether an unusable value is worth a warning. */
  isExpected: boolean;
}

export const ID = expected('id', 'slug');
export const NAME = expected('name', 'title');
export const DISPLAY_NAME = expected('display_name', 'displayName', 'title');
export const DESCRIPTION = field('description', 'summary');
export const CATEGORY = field('category', 'categories');
export const TAGS = field('tags', 'keywords', 'topics');
export const AUTHOR = field('author', 'authors', 'owner', 'creator', 'maintainer');
export const LICENSE = expected('license', 'licence');
export const VERSION = expected('version');
export const COMPATIBILITY = expected('compatibility');
export const STARS = expected('stars', 'stargazers_count', 'star_count', 'github_stars');
export const DOWNLOADS = expected('downloads', 'download_count', 'installs', 'install_count');
export const FEATURED = expected('featured');
export const UPDATED_AT = expected('updated_at', 'updatedAt', 'last_updated', 'lastUpdated', 'updated');
/** Of the SKILL.md. */
export const DIGEST = field('digest', 'sha256');
/** Of the whole content of the skill: a folder or an archive. */
export const CONTENT_DIGEST = field('contentHash', 'content_hash', 'checksum', 'hash');
export const INSTALL = expected('install', 'install_command', 'installCommand');
export const REPOSITORY = field('repo', 'repository', 'github', 'full_name', 'source', 'repo_url', 'github_url');
export const ADDRESS = field('url', 'html_url', 'homepage', 'link');
/** Within a `source` object with the repository as `owner/name`. */
export const HOST = field('host');
export const PROVIDER = field('provider', 'type');
export const PATH = field('path');
export const REF = expected('ref', 'branch', 'commit');

/** Objects whose fields are read like those of the record. */
export const METADATA = toSlot('metadata');
export const SOURCE = toSlot('source');
/** The files of the skill. */
export const FILES = toSlot('files');

export const SLOT_COUNT = SLOTS.size;

/** Undefined for an unknown name. */
export function slotOf(name: string): number | undefined {
  return SLOTS.get(name);
}

function field(...names: string[]): Field {
  return { slots: names.map(toSlot), isExpected: false };
}

function expected(...names: string[]): Field {
  return { slots: names.map(toSlot), isExpected: true };
}

function toSlot(name: string): number {
  const slot = SLOTS.get(name) ?? SLOTS.size;
  SLOTS.set(name, slot);
  return slot;
}
