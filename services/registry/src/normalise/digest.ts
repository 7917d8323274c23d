import { isObject } from '@agent-fleet/shared/contract/json-object';
import type { Skill } from '../skills/skill.ts';
import { CONTENT_DIGEST, DIGEST, FILES, TYPE } from './field-names.ts';
import { isAlwaysComplete, isNeverComplete, type RecordFields } from './record-fields.ts';
import { toDigest } from './values.ts';

const SKILL_FILE = /(?:^|\/)SKILL\.md$/;

export type GivenDigest = Pick<Skill, 'digest' | 'digest_of'>;

export function readDigest(fields: RecordFields): GivenDigest {
  const ofFile = fields.takeAny(DIGEST, toDigest, isAlwaysComplete);
  if (ofFile !== undefined) {
    const isOfFolder = fields.at(TYPE) === 'archive' || [fields, fields.metadata].some(namesOtherFiles);
    return { digest: ofFile, digest_of: isOfFolder ? 'folder' : 'skill_md' };
  }
  // Stays in `extra`: only the name of the field shows the content that the digest covers.
  const digest = fields.takeAny(CONTENT_DIGEST, toDigest, isNeverComplete);
  const isUnusable = digest === undefined && (fields.holds(DIGEST) || fields.metadata?.holds(DIGEST));
  if (isUnusable) fields.notes.report.warn('digest_unusable');
  return { digest: digest ?? null, digest_of: digest === undefined ? null : 'folder' };
}

/** `files` is a list of names or of objects with a name, or an object keyed by name. */
function namesOtherFiles(fields: RecordFields | undefined): boolean {
  const files = fields?.at(FILES);
  const items: unknown[] = Array.isArray(files) ? files : isObject(files) ? Object.keys(files) : [];
  return items.length > 1 || items.some((item) => !SKILL_FILE.test(nameOf(item)));
}

function nameOf(item: unknown): string {
  const name = isObject(item) ? (item.path ?? item.name) : item;
  return typeof name === 'string' ? name : '';
}
