import type { Skill } from './contract.ts';
import { readExtra } from './extra.ts';
import { type Identified, toId } from './ids.ts';
import { readOrigin } from './origin.ts';
import { isObject, RecordFields } from './record-fields.ts';
import type { RawRecord } from './records.ts';
import type { Report, WarningCode } from './report.ts';
import { readTags } from './tags.ts';
import { toCount, toFlag, toLabel, toLicense, toLine, toName, toParagraph, toTimestamp } from './values.ts';

/** A skill on its way: its id is given once the bases of all are known. */
export interface Draft extends Identified {
  skill: Omit<Skill, 'id'>;
  /** As upstream has it. */
  upstreamId?: string;
}

type Take = <Value>(names: string[], parse: (value: unknown) => Value | undefined) => Value | undefined;

const MAX_ID = 1_024;
const MAX_VERSION = 64;
const MAX_INSTALL = 2_048;

/**
 * One upstream record as a skill: fields are found under the names that registries use, at the top or under `metadata`; what is missing is
 * mended and noted in `report`. Undefined, and rejected in `report`, when it is no object or has neither a name nor an id.
 */
export function normaliseRecord({ index, key, value }: RawRecord, report: Report): Draft | undefined {
  if (!isObject(value)) {
    report.reject({ index, ...(key && { id: key }), code: 'not_an_object', message: 'The record is not an object' });
    return undefined;
  }
  const fields = new RecordFields(value);
  const metadata = fields.nested('metadata');
  const take: Take = (names, parse) => fields.take(names, parse) ?? metadata?.take(names, parse);
  const upstreamId = take(['id', 'slug'], toLine(MAX_ID)) ?? toLine(MAX_ID)(key);
  const givenName = take(['name', 'title'], toName);
  const name = givenName ?? upstreamId?.split('/').findLast(Boolean);
  if (name === undefined) {
    report.reject({ index, code: 'no_name_and_id', message: 'The record has neither a name nor an id' });
    return undefined;
  }
  if (givenName === undefined) report.warn('name_missing');
  if (upstreamId === undefined) report.warn('id_missing');
  const skill = readSkill(name, take, metadata ? [fields, metadata] : [fields], report);
  return { skill, upstreamId, ...identify(skill, upstreamId) };
}

function readSkill(name: string, take: Take, layers: RecordFields[], report: Report): Draft['skill'] {
  const source = readOrigin(layers, report);
  const wanted = <Value>(value: Value | undefined, code: WarningCode) => {
    if (value === undefined) report.warn(code);
    return value;
  };
  return {
    name,
    description: wanted(take(['description', 'summary'], toParagraph(report)), 'description_missing') ?? '',
    category: wanted(take(['category', 'categories'], toLabel), 'category_missing') ?? null,
    tags: readTags(layers, report),
    author: readAuthor(take, source.repo, report),
    source,
    license: take(['license', 'licence'], toLicense) ?? null,
    version: take(['version'], toLine(MAX_VERSION)) ?? null,
    stars: take(['stars', 'stargazers_count', 'star_count', 'github_stars'], toCount) ?? null,
    downloads: take(['downloads', 'download_count', 'installs', 'install_count'], toCount) ?? null,
    featured: take(['featured'], toFlag) ?? false,
    updated_at: take(['updated_at', 'updatedAt', 'last_updated', 'lastUpdated', 'updated'], toTimestamp) ?? null,
    install: take(['install', 'install_command', 'installCommand'], toLine(MAX_INSTALL)) ?? null,
    // Last: it is what the lines above have left.
    extra: readExtra(layers, report),
  };
}

function readAuthor(take: Take, repo: string | null, report: Report): string | null {
  const author = take(['author', 'authors', 'owner', 'creator', 'maintainer'], toLabel);
  if (author !== undefined || repo === null) return author ?? null;
  report.warn('author_from_repository');
  return repo.split('/')[0] ?? null;
}

function identify({ name, source, install }: Draft['skill'], upstreamId: string | undefined): Identified {
  const base = toId(upstreamId ?? '') || toId([source.repo, name].filter(Boolean).join('/')) || 'skill';
  return { base, identity: JSON.stringify([upstreamId, name, ...Object.values(source), install]) };
}
