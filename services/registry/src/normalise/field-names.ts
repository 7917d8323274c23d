const SLOTS = new Map<string, number>();
/** By slot: the bits of its fields. */
const BITS: number[] = [];
let nextBit = 1;

/** A field of a skill: the slots of the names that registries use for it, preferred first. */
export interface Field {
  slots: readonly number[];
  /** One bit, to skip fields that a record lacks. */
  bit: number;
  /** Whether an unusable value is worth a warning. */
  isExpected: boolean;
}

export const ID = expected('id', 'slug', 'key', 'skill_id', 'identifier');
export const NAME = expected('name', 'skill_name');
/** The name of a record that has neither a name nor a readable id. */
export const TITLE = expected('title');
export const DISPLAY_NAME = expected('display_name', 'title', 'display_title', 'label');
export const DESCRIPTION = field('description', 'summary', 'short_description', 'tagline', 'notes');
export const CATEGORY = field('category', 'categories');
export const TAGS = field('tags', 'keywords', 'topics');
export const AUTHOR = field('author', 'authors', 'owner', 'creator', 'maintainer', 'author_name', 'publisher');
export const LICENSE = expected('license', 'licence', 'spdx_license');
export const VERSION = expected('version', 'latest_version');
export const COMPATIBILITY = expected('compatibility');
export const STARS = expected(
  'stars',
  'stargazers_count',
  'star_count',
  'github_stars',
  'repo_stars',
  'stargazers',
  'external_stars',
);
export const DOWNLOADS = expected(
  'downloads',
  'download_count',
  'installs',
  'install_count',
  'total_installs',
  'installs_all_time',
  'use_count',
);
export const FEATURED = expected('featured', 'is_featured');
export const UPDATED_AT = expected(
  'updated_at',
  'last_updated_at',
  'last_updated',
  'last_updated_date',
  'updated',
  'last_modified_at',
  'last_modified',
  'last_commit_at',
  'pushed_at',
);
/** Of the SKILL.md. */
export const DIGEST = field('digest', 'sha256');
/** Of the whole content of the skill: a folder or an archive. */
export const CONTENT_DIGEST = field('content_hash', 'checksum', 'hash', 'computed_hash');
export const INSTALL = expected('install', 'install_command', 'install_url');
/** What a record is; within a `source` object, its provider. */
export const KIND = field('type', 'kind', 'resource_type', 'component_type');

export const REPOSITORY = field(
  'repo',
  'repository',
  'github',
  'full_name',
  'source',
  'repo_url',
  'repository_url',
  'github_url',
  'git_url',
  'github_repo',
  'upstream',
  'git',
);
/** Names of a repository whose owner is in another field. */
export const REPOSITORY_NAME = field('repo', 'repository', 'repo_name', 'github_repo');
export const REPOSITORY_OWNER = field('repo_owner', 'github_owner', 'owner', 'org');
export const ADDRESS = field(
  'html_url',
  'url',
  'link',
  'web_url',
  'source_url',
  'source_code_url',
  'github_link',
  'homepage',
  'website',
);
/** Addresses of the SKILL.md or of an archive. */
export const FILE_ADDRESS = field(
  'skill_md_url',
  'raw_skill_md_url',
  'skill_url',
  'raw_url',
  'raw_file_url',
  'download_url',
  'archive_url',
  'readme_url',
);
/** Texts such as `github:owner/name:folder`. */
export const SHORTHAND = field('install_url', 'install');
/** Within a `source` object with the repository as `owner/name`. */
export const HOST = field('host');
export const PROVIDER = field('provider', 'type');
export const PATH = field(
  'path',
  'rel_path',
  'skill_path',
  'directory_path',
  'github_path',
  'subdir',
  'directory',
  'folder',
  'file',
  'file_path',
  'skill_file',
  'source_path',
);
export const PATHS = field('paths');
const COMMIT_NAMES = ['commit', 'commit_sha', 'commit_hash', 'git_commit_sha'];
/** `sha` is elsewhere also that of a file. */
export const COMMIT = field(...COMMIT_NAMES, 'sha');
export const REF = expected('ref', 'tag', 'branch', 'repo_branch', 'github_branch', ...COMMIT_NAMES);

/** Mostly an id, or a text such as `owner/name:folder`. */
export const KEY = toSlot('key');
/** Besides an id the name of a skill, where its name is a title. */
export const SLUG = toSlot('slug');
/** A ref, or a label. */
export const TAG = toSlot('tag');
/** Objects whose fields are read like those of the record. */
export const METADATA = toSlot('metadata');
export const SOURCE = toSlot('source');
/** The same, of Git in any case. */
export const GIT_OBJECTS = ['git', 'repository', 'repo'].map(toSlot);
/** Counts. */
export const STATS = toSlot('stats');
/** `archive` or `skill-md` in a discovery index; of an object of Git in what GitHub lists. */
export const TYPE = toSlot('type');
/** The files of the skill. */
export const FILES = toSlot('files');

export const SLOT_COUNT = SLOTS.size;

/** Undefined for an unknown name. */
export function slotOf(name: string): number | undefined {
  return SLOTS.get(name);
}

/** The bits of the fields that a slot belongs to. */
export function bitsOf(slot: number): number {
  return BITS[slot] ?? 0;
}

/** The names of both fields, those of `first` preferred. */
export function either(first: Field, second: Field): Field {
  return { slots: [...first.slots, ...second.slots], bit: first.bit | second.bit, isExpected: false };
}

function field(...names: string[]): Field {
  const slots = names.flatMap(inBothCases).map(toSlot);
  const bit = nextBit;
  if (bit === 0) throw new RangeError('There are more than 32 fields');
  nextBit <<= 1;
  for (const slot of slots) BITS[slot] = bitsOf(slot) | bit;
  return { slots, bit, isExpected: false };
}

function expected(...names: string[]): Field {
  return { ...field(...names), isExpected: true };
}

/** `repo_url` and `repoUrl`. */
export function inBothCases(name: string): string[] {
  const camel = name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return camel === name ? [name] : [name, camel];
}

function toSlot(name: string): number {
  const slot = SLOTS.get(name) ?? SLOTS.size;
  SLOTS.set(name, slot);
  return slot;
}
