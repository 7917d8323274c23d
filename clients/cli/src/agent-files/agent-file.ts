import { exactJson, isLosslessNumber } from '@agent-fleet/sdk/exact-json';
import { FrontMatterError, readFrontMatter } from '@agent-fleet/skills/content/front-matter';
import { type ScalarTag, stringify } from 'yaml';
import { CONTENT_FIELDS, type Content, withoutEmpty } from './content.ts';

/** What a file says of an agent. A field that it does not have is absent. */
export interface FileAgent {
  name: unknown;
  type: unknown;
  content: Content;
  /** Each thing that is not understood. */
  warnings: string[];
}

/** What is wrong with a file: each begins with the field. */
export class AgentFileError extends Error {}

const DEFAULT_TYPE = 'claude';
const MAX_DESCRIPTION = 500;
/** Fields of a later version: without them the agent would be another one. */
const LATER = ['schedules', 'triggers'];
const KNOWN = new Set<string>(['name', 'type', 'tools', 'note', ...CONTENT_FIELDS]);
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
/** What blocks of YAML or editors change: controls but LF, ends of lines of Unicode, white space around a text. */
const UNSAFE = /^\s|\s$|(?!\n)[\p{C}\u2028\u2029]/u;

/** Instructions that stay the same below a front matter: without white space around them, and without CRLF. */
const BODY = /^(?!\s)(?:(?!\r\n)[\s\S])+(?<!\s)$/;

/** Numbers and texts that YAML alone would not write and read as they are. */
const TAGS: ScalarTag[] = [
  {
    tag: 'tag:yaml.org,2002:float',
    default: true,
    test: JSON_NUMBER,
    identify: isLosslessNumber,
    resolve: (text) => exactJson.parse(text),
    stringify: ({ value }) => String(value),
  },
  {
    tag: 'tag:yaml.org,2002:str',
    default: true,
    identify: (value) => typeof value === 'string' && UNSAFE.test(value),
    resolve: (text) => text,
    stringify: ({ value }) => JSON.stringify(value),
  },
];
const YAML = { customTags: (tags: unknown[]) => [...TAGS, ...tags] as ScalarTag[] };

/** Also reads the files of Claude Code, which have `tools`, and names after their file. @throws AgentFileError */
export function parseAgentFile(text: string, fileName: string): FileAgent {
  const { entries, body } = readEntries(text);
  const warnings: string[] = [];
  for (const key of Object.keys(entries)) {
    if (LATER.includes(key)) throw new AgentFileError(`${key}: files cannot have them yet`);
    if (!KNOWN.has(key)) warnings.push(`${key} is not understood`);
  }
  const { name = fileName, type = DEFAULT_TYPE, tools, ...rest } = entries;
  if (entries.name === undefined) warnings.push(`it has no name, and gets that of the file: ${fileName}`);
  const known = Object.entries(rest).filter(([key]) => KNOWN.has(key));
  const content: Content = Object.fromEntries(known.map(([key, value]) => [key, understand(key, value, warnings)]));
  const instructions = body.trim();
  if (instructions !== '') {
    if ('instructions' in content) throw new AgentFileError('instructions: they are in the front matter and below it');
    content.instructions = instructions;
  }
  if (tools !== undefined) {
    if (content.permissions) throw new AgentFileError('tools: permissions.allow says the same; keep one of them');
    content.permissions = { allow: toRules(tools) };
  }
  return { name, type, content, warnings };
}

function readEntries(text: string) {
  try {
    return readFrontMatter(text.replaceAll('\r\n', '\n'), { ...YAML, uniqueKeys: true });
  } catch (error) {
    if (!(error instanceof FrontMatterError)) throw error;
    throw new AgentFileError(`line ${error.line}: ${error.message}`);
  }
}

/** A value of a field; what files of Claude Code have there in another form is named. */
function understand(key: string, value: unknown, warnings: string[]): unknown {
  if (key === 'model' && value === 'inherit') return null;
  if (key === 'skills' && typeof value === 'string') {
    warnings.push('skills is not understood: it is no list of ids of the registry');
    return null;
  }
  if (key !== 'description' || typeof value !== 'string') return value;
  const characters = [...value];
  if (characters.length <= MAX_DESCRIPTION) return value;
  warnings.push(`description has ${characters.length} characters: it is cut to ${MAX_DESCRIPTION}`);
  return characters.slice(0, MAX_DESCRIPTION).join('');
}

/** `Read, Bash(git *)`, or the same as a list. A name alone allows all that the tool can do. */
function toRules(tools: unknown): string[] {
  const list = typeof tools === 'string' ? tools.split(/,(?![^()]*\))/) : (tools ?? []);
  if (!Array.isArray(list) || list.some((tool) => typeof tool !== 'string')) {
    throw new AgentFileError('tools: must be a text or a list of texts');
  }
  const rules = list.map((tool: string) => tool.trim()).filter((tool) => tool !== '');
  return rules.map((rule) => (/\(.*\)$/s.test(rule) ? rule : `${rule}(*)`));
}

/** The file of an agent, without what is empty. */
export function toAgentFile({ name, type }: { name: string; type: string }, content: Content | null): string {
  const { instructions, ...fields } = withoutEmpty(content ?? {});
  const isBody = typeof instructions === 'string' && BODY.test(instructions);
  const entries = { name, type, ...fields, ...(!isBody && instructions !== undefined && { instructions }) };
  const head = `---\n${stringify(entries, { ...YAML, lineWidth: 0, aliasDuplicateObjects: false })}---\n`;
  return isBody ? `${head}\n${instructions}\n` : head;
}
