import { isUtf8 } from 'node:buffer';
import { type ParseOptions, parse, type SchemaOptions, YAMLParseError } from 'yaml';
import { isObject, SkillError } from '../skill-error.ts';

const MAX_LENGTH = 256 * 1024;
const OPENING = /^\uFEFF?---[ \t]*\n/;
const FRONT_MATTER = /^\uFEFF?---[ \t]*\n(?:([\s\S]*?)\n)?---[ \t]*(?:\n|$)/;
/** Of YAML, besides those of any front matter. */
type FrontMatterOptions = ParseOptions & SchemaOptions;
/** An entry on one line. */
const ENTRY = /^([\w-]+):[ \t]+(.*\S)[ \t]*$/gm;
/** A quoted text that ends on another line. */
const OPEN_QUOTE = /^(["'])(?!.*\1)/;
/** Of the Agent Skills specification. */
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_NAME_LENGTH = 64;
const NAME_RULE = 'at most 64 letters a-z, digits and single hyphens';
const MAX_DESCRIPTION_LENGTH = 1_024;

/** What a SKILL.md says about itself. */
export interface FrontMatter {
  name: string;
  description: string;
  license?: string;
}

/** A SKILL.md and what is wrong with it, as `<file>:<line>: <reason>`. */
export interface CheckedSkillFile {
  /** Even if its name violates the specification; undefined if it is not that of a skill. */
  frontMatter: FrontMatter | undefined;
  issues: string[];
}

/** Checks a SKILL.md against the specification. `file` is what issues call it. */
export function checkSkillFile(bytes: Buffer, file: string): CheckedSkillFile {
  const issues: string[] = [];
  const add = (line: number, reason: string) => issues.push(`${file}:${line}: ${reason}`);
  const rows = bytes.toString('latin1').split('\n');
  if (!isUtf8(bytes)) add(rows.findIndex((row) => !isUtf8(Buffer.from(row, 'latin1'))) + 1, 'it is not UTF-8');
  const nul = rows.findIndex((row) => row.includes('\0'));
  if (nul >= 0) add(nul + 1, 'it has a NUL character');
  const text = bytes.subarray(0, MAX_LENGTH).toString('utf8').replaceAll('\r\n', '\n');
  const lineOf = (key: string) => text.split('\n').findIndex((line) => line.startsWith(`${key}:`)) + 1 || 1;
  try {
    const { name, description, license } = readFrontMatter(text).entries;
    for (const [key, value] of Object.entries({ name, description })) {
      if (value === undefined || value === null || value === '')
        throw new FrontMatterError(lineOf(key), `it has no ${key}`);
      if (typeof value !== 'string') throw new FrontMatterError(lineOf(key), `its ${key} is no text`);
    }
    const frontMatter = { name, description, ...(typeof license === 'string' && { license }) } as FrontMatter;
    if (!isSkillName(frontMatter.name))
      add(lineOf('name'), `its name ${JSON.stringify(name)} is against the specification: ${NAME_RULE}`);
    const length = [...frontMatter.description].length;
    if (length > MAX_DESCRIPTION_LENGTH)
      add(lineOf('description'), `its description has ${length.toLocaleString('en')} characters, more than 1,024`);
    return { frontMatter, issues };
  } catch (error) {
    if (!(error instanceof FrontMatterError)) throw error;
    add(error.line, error.message);
    return { frontMatter: undefined, issues };
  }
}

export class FrontMatterError extends Error {
  readonly line: number;

  constructor(line: number, reason: string) {
    super(reason);
    this.line = line;
  }
}

/**
 * The entries of a front matter, and the text after it; lines end with LF.
 * @throws FrontMatterError
 */
export function readFrontMatter(
  text: string,
  options?: FrontMatterOptions,
): { entries: Record<string, unknown>; body: string } {
  if (!OPENING.test(text)) throw new FrontMatterError(1, 'it has no front matter: its first line is not ---');
  const match = FRONT_MATTER.exec(text);
  if (!match) throw new FrontMatterError(1, 'its front matter has no end: no other line is ---');
  const entries = parseLeniently(match[1] ?? '', options);
  if (!isObject(entries)) throw new FrontMatterError(2, 'its front matter has no names with values');
  return { entries, body: text.slice(match[0].length) };
}

/** As Claude Code reads it: where the whole is no YAML, the value of a line that is none is its text. */
function parseLeniently(yaml: string, options?: FrontMatterOptions): unknown {
  try {
    return parseYaml(yaml, options);
  } catch (error) {
    const quoted = yaml.replace(ENTRY, (entry, key: string, value: string) =>
      OPEN_QUOTE.test(value) || isYaml(entry, options) ? entry : `${key}: ${JSON.stringify(value)}`,
    );
    if (isYaml(quoted, options)) return parseYaml(quoted, options);
    const line = error instanceof YAMLParseError ? (error.linePos?.[0].line ?? 0) : 0;
    const [reason = ''] = error instanceof Error ? error.message.split(/ at line \d|\n/) : [];
    throw new FrontMatterError(line + 1, `its front matter is not YAML: ${reason}`);
  }
}

function parseYaml(yaml: string, options?: FrontMatterOptions): unknown {
  return parse(yaml, { maxAliasCount: 10, logLevel: 'error', uniqueKeys: false, ...options });
}

function isYaml(text: string, options?: FrontMatterOptions): boolean {
  try {
    parseYaml(text, options);
    return true;
  } catch {
    return false;
  }
}

/** @throws SkillError if the file is no SKILL.md, or its name violates the specification */
export function requireFrontMatter(bytes: Buffer, file: string): { frontMatter: FrontMatter; issues: string[] } {
  const { frontMatter, issues } = checkSkillFile(bytes, file);
  if (frontMatter && isSkillName(frontMatter.name)) return { frontMatter, issues };
  throw new SkillError(issues.join('; '), 'See https://agentskills.io/specification, or tell the author of the skill.');
}

export function isSkillName(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && NAME.test(name);
}
