import { safeText } from '../../text/safe-text.ts';
import type { Skill } from './records.ts';
import { hostOf, isOnGitHub } from './source-links.ts';

export interface InstallCommand {
  title: string;
  command: string;
  /** What is good to know before it is run. */
  hint?: string;
}

/** Words that mean nothing else to a shell. */
const PLAIN_WORD = /^[\w.][\w.~/-]*$/;
const DEFAULT_ORIGIN = 'http://localhost:8080';
/** Adds one skill of one repository, or lets the user choose. */
const BY_SKILLS_PACKAGE =
  /^npx (?:-y )?skills add ((?:https:\/\/)?\w[\w.-]*(?:\/[\w.-]+)+)(?:#\w[\w./-]*)?(?:@\w[\w.-]*)?(?: --skill \w[\w.-]*)?$/;

/** The commands that add a skill; none for what no tool can add. `origin` is the address of this registry. */
export function installCommands(skill: Skill, origin: string): InstallCommand[] {
  return [byFleet(skill, origin), bySkillsPackage(skill, origin), byGitHub(skill)].filter(
    (command) => command !== undefined,
  );
}

/** The command that the registry has for it, if that is another one. It comes from elsewhere, and may be anything. */
export function ownCommand({ install }: Skill, commands: readonly InstallCommand[]): string | undefined {
  if (!install || !/\s/.test(install.trim()) || commands.some(({ command }) => command === install)) return undefined;
  return install;
}

/** Whether what is shown of a text is all that would be copied. */
export function isPlain(text: string): boolean {
  return safeText(text) === text && !/[\n\t]/.test(text);
}

function byFleet({ id, kind, source }: Skill, origin: string): InstallCommand | undefined {
  if (kind !== 'skill' || !PLAIN_WORD.test(id)) return undefined;
  const address = origin === DEFAULT_ORIGIN ? '' : ` --url ${origin}`;
  return {
    title: 'fleet',
    command: `fleet skills add ${id}${address}`,
    hint: `${source.repo === null ? 'Checks' : 'Pins the commit, and checks'} the digest that the registry declares.`,
  };
}

function bySkillsPackage(
  { id, kind, name, source, install, digest_of }: Skill,
  origin: string,
): InstallCommand | undefined {
  const title = 'npx skills';
  if (install && addsFrom(source, install)) return { title, command: install };
  if (kind !== 'skill') return undefined;
  if (isOnGitHub(source) && PLAIN_WORD.test(name)) {
    const { repo, ref } = source;
    const at = ref === null || /^(?:main|master)$/.test(ref) || !PLAIN_WORD.test(ref) ? '' : `#${ref}`;
    return { title, command: `npx skills add ${repo}${at} --skill ${name}` };
  }
  if (source.repo === null && source.url === null && digest_of !== 'skill_md') return undefined;
  return PLAIN_WORD.test(id) ? { title, command: `npx skills add ${origin}/api/skills/${id}` } : undefined;
}

/** Whether a command that comes from elsewhere adds what is in the repository of the skill, and nothing else. */
function addsFrom(source: Skill['source'], install: string): boolean {
  const [, repository] = BY_SKILLS_PACKAGE.exec(install) ?? [];
  if (repository === undefined || source.repo === null) return false;
  if (isOnGitHub(source) && repository === source.repo) return true;
  const host = isOnGitHub(source) ? 'github.com' : hostOf(source.url);
  return repository.replace(/\.git$/, '') === `https://${host}/${source.repo}`;
}

function byGitHub({ kind, name, source }: Skill): InstallCommand | undefined {
  if (!isOnGitHub(source)) return undefined;
  const { repo, ref } = source;
  if (kind !== 'skill' || !PLAIN_WORD.test(name)) return { title: 'gh', command: `gh repo clone ${repo}` };
  const version = ref !== null && PLAIN_WORD.test(ref) && !ref.includes('/') ? `@${ref}` : '';
  return { title: 'gh', command: `gh skill install ${repo} ${name}${version}`, hint: 'GitHub CLI 2.90 or newer.' };
}
