import { parse } from 'yaml';
import { SkillError } from '../skill-error.ts';

const MAX_LENGTH = 256 * 1024;
const FRONT_MATTER = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/;
/** Of the Agent Skills specification. */
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_NAME_LENGTH = 64;

/** What a SKILL.md says about itself. */
export interface FrontMatter {
  name: string;
  description: string;
  license?: string;
}

/** The front matter, even if its name violates the specification; undefined if it is not that of a skill. */
export function readFrontMatter(bytes: Buffer): FrontMatter | undefined {
  const [, yaml] = FRONT_MATTER.exec(bytes.subarray(0, MAX_LENGTH).toString('utf8')) ?? [];
  if (yaml === undefined) return undefined;
  try {
    const data: unknown = parse(yaml, { maxAliasCount: 10, logLevel: 'silent' });
    if (typeof data !== 'object' || data === null) return undefined;
    const { name, description, license } = data as Record<string, unknown>;
    if (typeof name !== 'string' || typeof description !== 'string' || name === '' || description === '')
      return undefined;
    return { name, description, ...(typeof license === 'string' && { license }) };
  } catch {
    return undefined;
  }
}

/** @throws SkillError if the file is no SKILL.md, or its name violates the specification */
export function requireFrontMatter(bytes: Buffer): FrontMatter {
  const found = readFrontMatter(bytes);
  if (!found) {
    throw new SkillError(
      'The SKILL.md has no front matter with `name` and `description`',
      'It is not a skill: see https://agentskills.io/specification.',
    );
  }
  if (!isSkillName(found.name)) {
    throw new SkillError(
      `The name ${JSON.stringify(found.name)} is against the specification of skills`,
      `A name has at most ${MAX_NAME_LENGTH} letters a-z, digits and single hyphens. Tell the author of the skill.`,
    );
  }
  return found;
}

export function isSkillName(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && NAME.test(name);
}
