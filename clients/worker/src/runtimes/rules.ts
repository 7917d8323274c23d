import { realpathSync } from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import { type JsonObject, objectOf, objectsOf, textOf } from './json.ts';

/** One of a definition, as `Bash(git *)`. */
export interface Rule {
  text: string;
  /** In the words of Claude Code, whatever the runtime calls it. */
  tool: string;
  /** Undefined: for all calls of the tool. `*` stands for any text. */
  pattern: string | undefined;
}

type Verdict = 'allow' | 'ask' | 'deny' | undefined;

export type Rules = ReturnType<typeof createRules>;

/** What an agent is told. */
export const DENIED = 'The definition of this agent denies this: go on without it';

/**
 * The rules of a definition. They go by the text of a call, and so stop mistakes: what an agent must not be able to do,
 * its permissions say. `permissions`: with `read-only`, no rule allows a change.
 */
export function createRules(
  given: { allow: readonly string[]; ask: readonly string[]; deny: readonly string[] },
  permissions: string,
) {
  const [allow, ask, deny] = [given.allow.map(parseRule), given.ask.map(parseRule), given.deny.map(parseRule)];
  return {
    ask,
    deny,
    /** Those that the runtime must hold: what MCP servers are asked for, the worker decides itself. */
    restrictions: [...deny, ...ask].filter(({ tool }) => !isOfServer(tool)),
    /** Of a call, denials first; undefined: what the permissions say. Relative paths are in the workspace. */
    verdict(name: string, given: unknown, workspace: string): Verdict {
      const [tool, input] = [toolOf(name), objectOf(given)];
      const isHit = (rule: Rule) => isTool(rule, tool) && isRestricted(rule.pattern, tool, input, workspace);
      if (deny.some(isHit)) return 'deny';
      if (ask.some(isHit)) return 'ask';
      if (permissions === 'read-only' && (tool === 'Bash' || tool === 'Edit')) return undefined;
      const isGranted = (rule: Rule) => isTool(rule, tool) && isPermitted(rule.pattern, tool, input, workspace);
      return allow.some(isGranted) ? 'allow' : undefined;
    },
  };
}

export const NO_RULES: Rules = createRules({ allow: [], ask: [], deny: [] }, 'edit');

export const isOfServer = (tool: string) => tool.startsWith('mcp__');

function parseRule(text: string): Rule {
  const [, name = text, given = '*'] = /^([^(]+)(?:\((.*)\))?$/s.exec(text) ?? [];
  const tool = toolOf(name);
  const pattern = tool === 'Bash' ? given.replace(/:\*$/, ' *') : given;
  return { text, tool, pattern: /^\*+$/.test(pattern) ? undefined : pattern };
}

/** What runtimes call the same tool; rules of `Write` are those of `Edit`. */
const TOOLS: [tool: string, names: RegExp][] = [
  ['Bash', /^(?:bash|shell|execute|exec_command|run_shell_command)$/i],
  ['Edit', /^(?:edit|write|multiedit|notebookedit|apply_patch|replace|write_file|delete|move)$/i],
  ['Read', /^(?:read|read_file)$/i],
  ['WebFetch', /^(?:webfetch|web_fetch|fetch)$/i],
];

const toolOf = (name: string) => TOOLS.find(([, names]) => names.test(name))?.[0] ?? name;

/** `mcp__issues` is all tools of that server. */
const isTool = ({ tool }: Rule, name: string) => isLike(tool, name) || (isOfServer(tool) && isLike(`${tool}__*`, name));

/** Rather too often than not: any command of a line, and a call that does not show what it is about. */
function isRestricted(pattern: string | undefined, tool: string, input: JsonObject, workspace: string): boolean {
  if (pattern === undefined) return true;
  if (tool === 'Bash') return piecesOf(commandOf(input)).some((piece) => isLike(pattern, `${piece} `, piece));
  const paths = pathsOf(input);
  if (paths.length > 0) return paths.some((path) => isPath(pattern, resolve(workspace, path), workspace));
  return tool === 'Edit' || tool === 'Read' || isLike(pattern, ...textsOf(input));
}

/** Rather too seldom: one plain command that the rule names, and files below the workspace, where links lead to. */
function isPermitted(pattern: string | undefined, tool: string, input: JsonObject, workspace: string): boolean {
  const command = commandOf(input);
  // What is asked leaves the sandbox: any command would be too many.
  if (tool === 'Bash') return !!pattern && !/[;&|<>`$()\n\\]/.test(command) && isLike(pattern, `${command} `, command);
  if (isOfServer(tool) || tool === 'WebFetch') return !pattern || isLike(pattern, ...textsOf(input));
  const root = realPath(workspace);
  const paths = pathsOf(input).map((path) => realPath(resolve(workspace, path)));
  const isInside = (path: string) => !relative(root, path).startsWith('..');
  return paths.length > 0 && paths.every((path) => isInside(path) && (!pattern || isPath(pattern, path, root)));
}

const commandOf = ({ command, title }: JsonObject) => textOf(command) || textOf(title);

/** What stands before a command without being it. */
const PREFIX = /^(?:(?:\w+=\S*|sudo|env|command|exec|nohup|time|then|do|else|if|!|xargs)\s+)+/;

/** The commands of a line, in quotes or out of them, with their folders and without. */
function piecesOf(line: string): string[] {
  const lines = [line.replaceAll(/["'\\]/g, ''), line.replaceAll(/["']/g, '\n')];
  const pieces = lines.flatMap((each) => each.split(/&&|\|\||\$\(|[;&|\n(){}`]/));
  const commands = pieces.map((piece) => piece.replaceAll(/\s+/g, ' ').trim().replace(PREFIX, ''));
  return [line, ...commands, ...commands.map((command) => command.replace(/^\S*\//, ''))];
}

const textsOf = (input: JsonObject) => [
  `domain:${URL.parse(textOf(input.url))?.hostname}`,
  textOf(input.url),
  JSON.stringify(input),
];

function pathsOf(input: JsonObject): string[] {
  const { file_path, filePath, path, notebook_path } = input;
  const listed = [input.locations, input.changes, input.content].flatMap(objectsOf).map((part) => part.path);
  return [file_path, filePath, path, notebook_path, ...listed].map(textOf).filter((name) => name !== '');
}

/** As `.gitignore` has it: a name without a slash is for all folders. */
function isPath(pattern: string, path: string, workspace: string): boolean {
  const name = relative(workspace, path);
  return isLike(
    pattern.replace(/^\.\//, ''),
    name,
    `/${name}`,
    path,
    ...(pattern.includes('/') ? [] : [basename(path)]),
  );
}

/** Without a regular expression: the texts are the agent's, and long. */
function isLike(pattern: string, ...texts: string[]): boolean {
  const [first = '', ...parts] = pattern.split(/\*+/);
  const last = parts.pop();
  return texts.some((text) => {
    if (last === undefined) return text === first;
    const end = text.length - last.length;
    if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    return parts.every((part) => {
      const found = text.indexOf(part, at);
      at = found + part.length;
      return found >= 0 && at <= end;
    });
  });
}

/** Links resolved, for a path that need not exist: a repository's links lead anywhere. */
export function realPath(path: string): string {
  const parent = dirname(path);
  try {
    return realpathSync(path);
  } catch {
    return parent === path ? path : resolve(realPath(parent), path.slice(parent.length).replace(/^\/+/, ''));
  }
}
