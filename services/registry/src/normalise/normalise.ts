import { isObject } from '@agent-fleet/shared/contract/json-object';
import { toId } from '../skills/ids.ts';
import type { Rejection, Report } from '../skills/report.ts';
import type { Skill } from '../skills/skill.ts';
import { cleanLine } from '../skills/text.ts';
import { readExtra } from './bounded-value.ts';
import { toCompatibility } from './compatibility.ts';
import { type GivenDigest, readDigest } from './digest.ts';
import * as names from './field-names.ts';
import { readKind } from './kind.ts';
import { readCategories, readTags } from './labels.ts';
import { type FileContext, parseContext } from './locations/file-context.ts';
import { type Origin, readOrigin } from './locations/origin.ts';
import { isAlwaysComplete, RecordFields, RecordNotes } from './record-fields.ts';
import { type RawRecord, unwrap } from './records.ts';
import { findIssues, isSkillName } from './validity.ts';
import {
  toCount,
  toFlag,
  toLabel,
  toLicense,
  toLine,
  toName,
  toParagraph,
  toTimestamp,
  toVersion,
  toWholeLine,
} from './values.ts';

/** The skill of one record; its categories are still as upstream writes them. */
export type DraftSkill = Omit<Skill, 'id' | 'registries'>;

/** A normalised record. Its id is assigned once all records are known. */
export interface Draft {
  skill: DraftSkill;
  upstreamId: string | undefined;
  /** The preferred id, URL-safe. */
  base: string;
  /** Host of the repository in lower case; undefined for GitHub and without a repository. */
  host?: string;
  /** What the record names as its repository, in lower case, if that cannot be understood. */
  unknownRepository?: string;
}

const MAX_ID = 1_024;
const MAX_INSTALL = 2_048;
const MAX_REJECTED_ID = 200;
/** Of a name for people, which no folder has. */
const TITLE = /[A-Z\s]/;
/** Numbers and random digits, which nobody reads as a name. */
const OPAQUE_ID = /^(?:\d+|[0-9a-f]{16,}|[0-9a-f]{8}-[0-9a-f-]{27})$/i;

/**
 * Converts one upstream record to a skill: a pure function of its bytes, key and context. Fields have the names that
 * registries use, at the top or under `metadata`. Repairs are counted in `report`. Undefined if the record is rejected:
 * too large, no object, or without name and id.
 */
export function normaliseRecord(record: RawRecord, report: Pick<Report, 'warn' | 'reject'>): Draft | undefined {
  const notes = new RecordNotes(report, record.isPlain ?? false);
  const key = record.key === undefined ? undefined : readKey(record.key, notes);
  if (record.isTooLarge)
    return reject(record, key, 'record_too_large', 'The record is too large or nested too deeply', report);
  const value = unwrap(record.value);
  if (!isObject(value)) return reject(record, key, 'not_an_object', 'The record is not an object', report);
  const context = parseContext(record.context);
  const top = new RecordFields(value, notes);
  top.metadata = top.nested(names.METADATA);
  top.stats = [top.nested(names.STATS), top.metadata?.nested(names.STATS)].filter((stats) => stats !== undefined);
  const givenKey = top.at(names.KEY);
  const slug = top.at(names.SLUG);
  const upstreamId = top.takeAny(names.ID, toUpstreamId) ?? key;
  const givenName = top.takeAny(names.NAME, toName) ?? (isReadable(upstreamId) ? undefined : takeTitle(top));
  const isTitle = givenName !== undefined && TITLE.test(givenName) && typeof slug === 'string' && isSkillName(slug);
  const name = isTitle ? slug : (givenName ?? upstreamId?.split('/').findLast(Boolean));
  if (name === undefined)
    return reject(record, key, 'no_name_and_id', 'The record has neither a name nor an id', report);
  if (givenName === undefined) report.warn('name_missing');
  if (upstreamId === undefined) report.warn('id_missing');
  const kind = readKind(top, context.given.kind);
  const digest = readDigest(top);
  const origin = readOrigin(top, { name, key: givenKey, context });
  const skill = readSkill({ name, title: givenName, kind, digest, origin, top, context });
  notes.close();
  const { host, unknownRepository } = origin;
  return {
    skill,
    upstreamId,
    base: toBase(upstreamId, skill, host),
    host,
    ...(unknownRepository !== undefined && { unknownRepository }),
  };
}

function isReadable(id: string | undefined): boolean {
  return id !== undefined && !OPAQUE_ID.test(id);
}

function takeTitle(top: RecordFields): string | undefined {
  return top.takeAny(names.TITLE, toName);
}

interface Reading {
  name: string;
  /** As upstream writes the name. */
  title: string | undefined;
  kind: Skill['kind'];
  digest: GivenDigest;
  origin: Origin;
  top: RecordFields;
  context: FileContext;
}

function readSkill({ name, title, kind, digest, origin: { source }, top, context }: Reading): DraftSkill {
  const { report } = top.notes;
  // Its value is only normalised, or longer than `extra` would keep.
  const description = top.takeAny(names.DESCRIPTION, toParagraph, isAlwaysComplete) ?? '';
  if (description === '') report.warn('description_missing');
  const categories = readCategories(top, context.given.category);
  const category = categories[0] ?? null;
  if (category === null) report.warn('category_missing');
  const compatibility = top.takeAny(names.COMPATIBILITY, toCompatibility) ?? null;
  const issues = findIssues(name, description, compatibility);
  const display_name = top.takeAny(names.DISPLAY_NAME, toName) ?? title ?? name;
  const isTitleServed = title === undefined || title === name || title === display_name;
  return {
    name,
    display_name,
    description,
    kind,
    category,
    categories,
    tags: readTags(top),
    author: readAuthor(top, source.repo, context.given.owner),
    source,
    license: top.takeAny(names.LICENSE, toLicense) ?? null,
    version: top.takeAny(names.VERSION, toVersion) ?? null,
    compatibility,
    stars: top.takeCounted(names.STARS, toCount) ?? null,
    downloads: top.takeCounted(names.DOWNLOADS, toCount) ?? null,
    featured: top.takeAny(names.FEATURED, toFlag) ?? false,
    updated_at: top.takeCounted(names.UPDATED_AT, toTimestamp, isAlwaysComplete) ?? null,
    ...digest,
    install: top.takeAny(names.INSTALL, toInstall) ?? null,
    valid: issues.length === 0,
    issues,
    // Last, as it takes the remaining fields.
    extra: isTitleServed ? readExtra(top) : { name: title, ...readExtra(top) },
  };
}

function readAuthor(top: RecordFields, repo: string | null, owner: string | undefined): string | null {
  const author = top.takeAny(names.AUTHOR, toLabel);
  if (author !== undefined) return author;
  if (repo === null) return owner ?? null;
  top.notes.report.warn('author_from_repository');
  return repo.slice(0, repo.indexOf('/'));
}

/** `isPlain` applies only to the values of a record. */
function readKey(key: string, notes: RecordNotes): string | undefined {
  return toUpstreamId(cleanLine(key), notes);
}

function toUpstreamId(value: unknown, notes: RecordNotes): string | undefined {
  return toLine(value, MAX_ID, notes);
}

function toInstall(value: unknown, notes: RecordNotes): string | undefined {
  return toWholeLine(value, MAX_INSTALL, notes);
}

function toBase(upstreamId: string | undefined, { name, source }: DraftSkill, host: string | undefined): string {
  const fromId = upstreamId === undefined ? '' : toId(upstreamId);
  const repository = host === undefined ? source.repo : `${host}/${source.repo}`;
  return fromId || toId(repository === null ? name : `${repository}/${name}`) || 'skill';
}

function reject(
  record: RawRecord,
  key: string | undefined,
  code: Rejection['code'],
  message: string,
  report: Pick<Report, 'warn' | 'reject'>,
): undefined {
  const id = key?.slice(0, MAX_REJECTED_ID);
  report.reject({ index: record.index, ...(id !== undefined && { id }), code, message });
}
