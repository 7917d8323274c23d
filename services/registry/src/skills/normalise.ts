import { toCompatibility } from './compatibility.ts';
import { readDigest } from './digest.ts';
import { readExtra } from './extra.ts';
import * as names from './field-names.ts';
import { toId } from './ids.ts';
import { readOrigin } from './origin.ts';
import { isObject, type Parse, RecordFields, saysAlways } from './record-fields.ts';
import { RecordNotes } from './record-notes.ts';
import type { RawRecord } from './records.ts';
import type { Rejection, Report } from './report.ts';
import type { Skill } from './skill.ts';
import { readTags } from './tags.ts';
import { cleanLine } from './text.ts';
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

/** A skill as one record tells it; its category is still as upstream writes it. */
export type DraftSkill = Omit<Skill, 'id' | 'registries'>;

/** A skill on its way: its id is given once the bases of all are known. */
export interface Draft {
  skill: DraftSkill;
  /** As upstream has it. */
  upstreamId: string | undefined;
  /** What the id is by preference: URL-safe. */
  base: string;
  /** Of the repository, in lower case; undefined for GitHub and where there is no repository. */
  host?: string;
  /** Whether the digest is that of the SKILL.md; else it is of a folder or an archive. */
  hasFileDigest: boolean;
}

const MAX_ID = 1_024;
const MAX_INSTALL = 2_048;
const MAX_REJECTED_ID = 200;

/**
 * One upstream record as a skill: fields are found under the names that registries use, at the top or under `metadata`;
 * what is missing is mended and noted in `report`. Undefined, and rejected in `report`, when it is too large, no
 * object, or has neither a name nor an id.
 */
export function normaliseRecord(record: RawRecord, report: Report): Draft | undefined {
  const notes = new RecordNotes(report, record.isPlain ?? false);
  const key = record.key === undefined ? undefined : readKey(record.key, notes);
  if (record.isTooLarge)
    return reject(record, key, 'record_too_large', 'The record is too large or nested too deeply', report);
  if (!isObject(record.value)) return reject(record, key, 'not_an_object', 'The record is not an object', report);
  const top = new RecordFields(record.value, notes);
  const metadata = top.nested(names.METADATA);
  const upstreamId = take(top, metadata, names.ID, toUpstreamId) ?? key;
  const givenName = take(top, metadata, names.NAME, toName);
  const name = givenName ?? upstreamId?.split('/').findLast(Boolean);
  if (name === undefined)
    return reject(record, key, 'no_name_and_id', 'The record has neither a name nor an id', report);
  if (givenName === undefined) report.warn('name_missing');
  if (upstreamId === undefined) report.warn('id_missing');
  const { source, host } = readOrigin(top, metadata);
  const { digest, isOfFile } = readDigest(top, metadata);
  const skill = readSkill(name, source, digest, top, metadata);
  notes.close();
  return { skill, upstreamId, base: toBase(upstreamId, skill, host), host, hasFileDigest: isOfFile };
}

function readSkill(
  name: string,
  source: Skill['source'],
  digest: string | null,
  top: RecordFields,
  metadata: Metadata,
): DraftSkill {
  const { report } = top.notes;
  const description = takeRewritten(top, metadata, names.DESCRIPTION, toParagraph) ?? '';
  if (description === '') report.warn('description_missing');
  const category = take(top, metadata, names.CATEGORY, toLabel) ?? null;
  if (category === null) report.warn('category_missing');
  const compatibility = take(top, metadata, names.COMPATIBILITY, toCompatibility) ?? null;
  const issues = findIssues(name, description, compatibility);
  return {
    name,
    display_name: take(top, metadata, names.DISPLAY_NAME, toName) ?? name,
    description,
    category,
    tags: readTags(top, metadata),
    author: readAuthor(top, metadata, source.repo),
    source,
    license: take(top, metadata, names.LICENSE, toLicense) ?? null,
    version: take(top, metadata, names.VERSION, toVersion) ?? null,
    compatibility,
    stars: take(top, metadata, names.STARS, toCount) ?? null,
    downloads: take(top, metadata, names.DOWNLOADS, toCount) ?? null,
    featured: take(top, metadata, names.FEATURED, toFlag) ?? false,
    updated_at: takeRewritten(top, metadata, names.UPDATED_AT, toTimestamp) ?? null,
    digest,
    install: take(top, metadata, names.INSTALL, toInstall) ?? null,
    valid: issues.length === 0,
    issues,
    // Last: it is what the lines above have left.
    extra: readExtra(top),
  };
}

type Metadata = RecordFields | undefined;

function take<Value>(top: RecordFields, metadata: Metadata, field: names.Field, parse: Parse<Value>) {
  return top.take(field, parse) ?? metadata?.take(field, parse);
}

/**
 * The same where upstream's value would say no more: it is written in another way only, or `extra` would cut it no
 * later.
 */
function takeRewritten<Value>(top: RecordFields, metadata: Metadata, field: names.Field, parse: Parse<Value>) {
  return top.take(field, parse, saysAlways) ?? metadata?.take(field, parse, saysAlways);
}

function readAuthor(top: RecordFields, metadata: Metadata, repo: string | null): string | null {
  const author = take(top, metadata, names.AUTHOR, toLabel);
  if (author !== undefined || repo === null) return author ?? null;
  top.notes.report.warn('author_from_repository');
  return repo.slice(0, repo.indexOf('/'));
}

/** Only the values of a record are known to be plain. */
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
  report: Report,
): undefined {
  const id = key?.slice(0, MAX_REJECTED_ID);
  report.reject({ index: record.index, ...(id !== undefined && { id }), code, message });
}
