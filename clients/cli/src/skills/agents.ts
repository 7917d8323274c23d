import { join, relative } from 'node:path';
import { usageError } from '@agent-fleet/skills/skill-error';

/** Where all skills are, relative to the project or the home folder. */
const SHARED_FOLDER = '.agents/skills';

/** Agents that read the shared folder. As in version 1.7.4 of the `skills` package, which a test compares. */
export const SHARING_AGENTS: readonly string[] = [
  ...['amp', 'antigravity', 'antigravity-cli', 'cline', 'codex', 'cursor', 'deepagents', 'dexto', 'droid'],
  ...['firebender', 'fx', 'gemini-cli', 'github-copilot', 'kilo', 'kimi-code-cli', 'loaf', 'opencode', 'pi'],
  ...['replit', 'sarvam-code', 'warp', 'zed', 'promptscript', 'universal'],
];

/** Agents with a folder of their own, and that folder in a project; `USER_FOLDERS` has other ones of the user. */
export const OWN_FOLDERS: Readonly<Record<string, string>> = {
  'aider-desk': '.aider-desk/skills',
  astrbot: 'data/skills',
  'autohand-code': '.autohand/skills',
  augment: '.augment/skills',
  bob: '.bob/skills',
  'claude-code': '.claude/skills',
  openclaw: 'skills',
  'codearts-agent': '.codeartsdoer/skills',
  codebuddy: '.codebuddy/skills',
  codemaker: '.codemaker/skills',
  codestudio: '.codestudio/skills',
  'command-code': '.commandcode/skills',
  continue: '.continue/skills',
  cortex: '.cortex/skills',
  crush: '.crush/skills',
  devin: '.devin/skills',
  eve: 'agent/skills',
  forgecode: '.forge/skills',
  goose: '.goose/skills',
  grok: '.grok/skills',
  'hermes-agent': '.hermes/skills',
  'inference-sh': '.inferencesh/skills',
  jazz: '.jazz/skills',
  junie: '.junie/skills',
  'iflow-cli': '.iflow/skills',
  kimchi: '.kimchi/skills',
  'kiro-cli': '.kiro/skills',
  kode: '.kode/skills',
  lingma: '.lingma/skills',
  mcpjam: '.mcpjam/skills',
  'minimax-code': '.minimax/skills',
  'mistral-vibe': '.vibe/skills',
  moxby: '.moxby/skills',
  mux: '.mux/skills',
  openhands: '.openhands/skills',
  ona: '.ona/skills',
  'posit-assistant': '.posit/assistant/skills',
  qoder: '.qoder/skills',
  'qoder-cn': '.qoder/skills',
  'qwen-code': '.qwen/skills',
  reasonix: '.reasonix/skills',
  rovodev: '.rovodev/skills',
  roo: '.roo/skills',
  'tabnine-cli': '.tabnine/agent/skills',
  terramind: '.terramind/skills',
  tinycloud: '.tinycloud/skills',
  trae: '.trae/skills',
  'trae-cn': '.trae/skills',
  windsurf: '.windsurf/skills',
  zcode: '.zcode/skills',
  zencoder: '.zencoder/skills',
  zenflow: '.zencoder/skills',
  neovate: '.neovate/skills',
  pochi: '.pochi/skills',
  adal: '.adal/skills',
};

/** Folders of the user that differ from those of a project. */
const USER_FOLDERS: Readonly<Record<string, string>> = {
  astrbot: '.astrbot/data/skills',
  openclaw: '.openclaw/skills',
  cortex: '.snowflake/cortex/skills',
  crush: '.config/crush/skills',
  devin: '.config/devin/skills',
  goose: '.config/goose/skills',
  kimchi: '.config/kimchi/harness/skills',
  'qoder-cn': '.qoder-cn/skills',
  'trae-cn': '.trae-cn/skills',
  windsurf: '.codeium/windsurf/skills',
};

/** Variables that name the folder of an agent, which has `skills` in it. */
const FOLDER_VARIABLES: Readonly<Record<string, string>> = {
  'autohand-code': 'AUTOHAND_HOME',
  'claude-code': 'CLAUDE_CONFIG_DIR',
  grok: 'GROK_HOME',
  'hermes-agent': 'HERMES_HOME',
  'mistral-vibe': 'VIBE_HOME',
};
const IN_CONFIGURATION: ReadonlySet<string> = new Set(['devin', 'goose']);

/** Where skills are installed: the project in a folder, or the home folder of the user. */
export interface Scope {
  /** Absolute, without links. */
  root: string;
  isGlobal: boolean;
  env: NodeJS.ProcessEnv;
}

/** A folder with skills: `root` exists or may be created; nothing of `path` below it may lead out of it. */
export interface Base {
  root: string;
  /** Relative to `root`. */
  path: string;
  agents: string[];
}

export function sharedBase({ root }: Scope): Base {
  return { root, path: SHARED_FOLDER, agents: [] };
}

/** The folders of all agents that have one of their own. */
export function ownBases(scope: Scope): Base[] {
  const bases = new Map<string, Base>();
  for (const agent of Object.keys(OWN_FOLDERS)) {
    const base = ownBase(scope, agent);
    if (base === undefined) continue;
    const key = join(base.root, base.path);
    const known = bases.get(key);
    if (known) known.agents.push(agent);
    else bases.set(key, base);
  }
  return [...bases.values()];
}

/**
 * The agent's own folder; undefined if it reads the shared one, or has none for the user.
 * @throws SkillError for an unknown agent
 */
export function ownBase({ root, isGlobal, env }: Scope, agent: string): Base | undefined {
  if (SHARING_AGENTS.includes(agent)) return undefined;
  const path = Object.hasOwn(OWN_FOLDERS, agent) ? (OWN_FOLDERS[agent] as string) : undefined;
  if (path === undefined) {
    const agents = [...SHARING_AGENTS, ...Object.keys(OWN_FOLDERS)].sort();
    throw usageError(`${agent} is not an agent that is known here`, `Known are ${agents.join(', ')}.`);
  }
  if (!isGlobal) return { root, path, agents: [agent] };
  if (agent === 'eve') return undefined;
  const folder = env[FOLDER_VARIABLES[agent] ?? '']?.trim();
  if (folder) return within(root, join(folder, 'skills'), agent);
  const configuration = IN_CONFIGURATION.has(agent) ? env.XDG_CONFIG_HOME?.trim() : undefined;
  if (configuration) return within(root, join(configuration, agent, 'skills'), agent);
  return { root, path: USER_FOLDERS[agent] ?? path, agents: [agent] };
}

/** A folder that a variable names may be outside the home folder; then it is its own root. */
function within(root: string, path: string, agent: string): Base {
  const below = relative(root, path);
  const isBelow = below !== '' && !below.startsWith('..');
  return isBelow ? { root, path: below, agents: [agent] } : { root: join(path, '..'), path: 'skills', agents: [agent] };
}
