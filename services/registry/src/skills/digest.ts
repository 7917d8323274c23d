import { CONTENT_DIGEST, DIGEST, FILES } from './field-names.ts';
import { isObject, type RecordFields, saysAlways } from './record-fields.ts';
import { toDigest } from './values.ts';

const SKILL_FILE = /(?:^|\/)SKILL\.md$/;

/** The digest that a record gives, and whether it is that of the SKILL.md; else it is of a folder or an archive. */
export interface GivenDigest {
  digest: string | null;
  isOfFile: boolean;
}

export function readDigest(top: RecordFields, metadata: RecordFields | undefined): GivenDigest {
  const ofFile = top.take(DIGEST, toDigest, saysAlways) ?? metadata?.take(DIGEST, toDigest, saysAlways);
  if (ofFile !== undefined) return { digest: ofFile, isOfFile: ![top, metadata].some(namesOtherFiles) };
  const digest = top.take(CONTENT_DIGEST, toDigest, saysLess) ?? metadata?.take(CONTENT_DIGEST, toDigest, saysLess);
  const isUnusable = digest === undefined && (top.holds(DIGEST) || metadata?.holds(DIGEST));
  if (isUnusable) top.notes.report.warn('digest_unusable');
  return { digest: digest ?? null, isOfFile: false };
}

/** Its name tells what it is of. */
function saysLess(): boolean {
  return false;
}

/** `files` as a list of names or of objects that have one, or as an object by names. */
function namesOtherFiles(fields: RecordFields | undefined): boolean {
  const files = fields?.at(FILES);
  const items: unknown[] = Array.isArray(files) ? files : isObject(files) ? Object.keys(files) : [];
  return items.length > 1 || items.some((item) => !SKILL_FILE.test(nameOf(item)));
}

function nameOf(item: unknown): string {
  const name = isObject(item) ? (item.path ?? item.name) : item;
  return typeof name === 'string' ? name : '';
}
