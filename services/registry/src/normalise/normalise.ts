import { toId } from '../skills/ids.ts';
import type { Rejection, Report } from '../skills/report.ts';
import type { Skill } from '../skills/skill.ts';
import { cleanLine } from '../skills/text.ts';
import { readExtra } from './bounded-value.ts';
import { toCompatibility } from './compatibility.ts';
import { type GivenDigest, readDigest } from './digest.ts';
import * as names from './field-names.ts';
import { readOrigin } from './origin.ts';
import { isAlwaysComplete, isObject, RecordFields } from './record-fields.ts';
import { RecordNotes } from './record-notes.ts';
import type { RawRecord } from './records.ts';
import { readTags } from './tags.ts';
import { findIssues } from './validity.ts';
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

/** The skill of one record; its category is still as upstream writes it. */
export type DraftSkill = Omit<Skill, 'id' | 'registries'>;

/** A normalised record. Its id is assigned once all records are known. */
export interface Draft {
  skill: DraftSkill;
  upstreamId: string | undefined;
  /** The preferred id, URL-safe. */
  base: string;
  /** Host of the repository in lower case; undefined for GitHub and without a repository. */
  host?: string;
  /** What upstream calls its repository, if that is no repository that we know. */
  place?: string;
}

const MAX_ID = 1_024;
const MAX_INSTALL = 2_048;
const MAX_REJECTED_ID = 200;

/**
 * Converts one upstream record to a skill. Fields have the names that registries use, at the top or under `metadata`.
 * Repairs are counted in `report`. Undefined if the record is rejected: too large, no object, or without name and id.
 */
export function normaliseRecord(record: RawRecord, report: Pick<Report, 'warn' | 'reject'>): Draft | undefined {
  const notes = new RecordNotes(report, record.isPlain ?? false);
  const key = record.key === undefined ? undefined : readKey(record.key, notes);
  if (record.isTooLarge)
    return reject(record, key, 'record_too_large', 'The record is too large or nested too deeply', report);
  if (!isObject(record.value)) return reject(record, key, 'not_an_object', 'The record is not an object', report);
  const top = new RecordFields(record.value, notes);
  top.metadata = top.nested(names.METADATA);
  const upstreamId = top.takeAny(names.ID, toUpstreamId) ?? key;
  const givenName = top.takeAny(names.NAME, toName);
  const name = givenName ?? upstreamId?.split('/').findLast(Boolean);
  if (name === undefined)
    return reject(record, key, 'no_name_and_id', 'The record has neither a name nor an id', report);
  if (givenName === undefined) report.warn('name_missing');
  if (upstreamId === undefined) report.warn('id_missing');
  const { source, host } = readOrigin(top);
  const skill = readSkill(name, source, readDigest(top), top);
  notes.close();
  return { skill, upstreamId, base: toBase(upstreamId, skill, host), host };
}

function readSkill(name: string, source: Skill['source'], digest: GivenDigest, top: RecordFields): DraftSkill {
  const { report } = top.notes;
  // Its value is only normalised, or longer than `extra` would keep.
  const description = top.takeAny(names.DESCRIPTION, toParagraph, isAlwaysComplete) ?? '';
  if (description === '') report.warn('description_missing');
  const category = top.takeAny(names.CATEGORY, toLabel) ?? null;
  if (category === null) report.warn('category_missing');
  const compatibility = top.takeAny(names.COMPATIBILITY, toCompatibility) ?? null;
  const issues = findIssues(name, description, compatibility);
  return {
    name,
    display_name: top.takeAny(names.DISPLAY_NAME, toName) ?? name,
    description,
    kind: 'skill',
    category,
    categories: category === null ? [] : [category],
    tags: readTags(top),
    author: readAuthor(top, source.repo),
    source,
    license: top.takeAny(names.LICENSE, toLicense) ?? null,
    version: top.takeAny(names.VERSION, toVersion) ?? null,
    compatibility,
    stars: top.takeAny(names.STARS, toCount) ?? null,
    downloads: top.takeAny(names.DOWNLOADS, toCount) ?? null,
    featured: top.takeAny(names.FEATURED, toFlag) ?? false,
    updated_at: top.takeAny(names.UPDATED_AT, toTimestamp, isAlwaysComplete) ?? null,
    ...digest,
    install: top.takeAny(names.INSTALL, toInstall) ?? null,
    valid: issues.length === 0,
    issues,
    // Last, as it takes the remaining fields.
    extra: readExtra(top),
  };
}

function readAuthor(top: RecordFields, repo: string | null): string | null {
  const author = top.takeAny(names.AUTHOR, toLabel);
  if (author !== undefined || repo === null) return author ?? null;
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
  const place = host === undefined ? source.repo : `${host}/${source.repo}`;
  return fromId || toId(place === null ? name : `${place}/${name}`) || 'skill';
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
