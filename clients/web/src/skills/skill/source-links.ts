import { FleetError } from '@agent-fleet/sdk';
import type { Skill } from './records.ts';

type Source = Skill['source'];

const GITHUB = 'https://github.com';
const OWNER_AND_NAME = /^\w[\w.-]*\/[\w.-]+$/;
const COMMIT = /^[0-9a-f]{40}$/;
const FILE = 'SKILL.md';

/** Whether the repository is `owner/name` on GitHub. */
export function isOnGitHub({ repo, url }: Source): boolean {
  if (repo === null || !OWNER_AND_NAME.test(repo)) return false;
  const host = hostOf(url);
  return host === undefined || /(^|\.)github(usercontent)?\.com$/.test(host);
}

/** The repository in the web; undefined if it is not known where that is. */
export function repositoryPage(source: Source): string | undefined {
  return isOnGitHub(source) ? `${GITHUB}/${source.repo}` : undefined;
}

/** The folder of the skill in the web, or whatever its registry names as its page. */
export function skillPage(source: Source): string | undefined {
  if (!isOnGitHub(source)) return webAddress(source.url);
  const folder = folderOf(source);
  return folder ? `${GITHUB}/${source.repo}/tree/${refOf(source)}/${folder}` : `${GITHUB}/${source.repo}`;
}

/** What relative links in the SKILL.md are relative to: its own page. */
export function filePage(source: Source): string | undefined {
  if (!isOnGitHub(source)) return webAddress(source.url);
  const folder = folderOf(source);
  return `${GITHUB}/${source.repo}/blob/${refOf(source)}/${folder ? `${folder}/` : ''}${FILE}`;
}

export function isCommit(ref: string | null): ref is string {
  return ref !== null && COMMIT.test(ref);
}

/** The host that the SKILL.md is fetched from. */
export function hostOfFile(source: Source): string | undefined {
  return isOnGitHub(source) ? 'raw.githubusercontent.com' : hostOf(source.url);
}

/** An address that is safe to link to. */
export function webAddress(url: string | null): string | undefined {
  return url !== null && /^https?:\/\//i.test(url) && URL.canParse(url) ? new URL(url).href : undefined;
}

export function hostOf(url: string | null): string | undefined {
  return url !== null && URL.canParse(url) ? new URL(url).host : undefined;
}

function folderOf({ path }: Source): string {
  const parts = (path ?? '').split('/').filter((part) => part !== '' && part !== '.' && part !== '..');
  if (parts.at(-1) === FILE) parts.pop();
  return parts.map(encodeURIComponent).join('/');
}

function refOf({ ref }: Source): string {
  return (ref ?? 'HEAD').split('/').map(encodeURIComponent).join('/');
}

/** Why there is no SKILL.md, in words. */
export function explainMissing(error: unknown, host: string | undefined): string {
  const from = host ?? 'its host';
  if (!(error instanceof FleetError)) return 'It could not be shown.';
  if (error.status === 404) {
    return host
      ? `There is no such file at ${host}, or it is private. It may have moved since the registry was written.`
      : 'Its registry does not say where it is.';
  }
  if (error.status === 502) return `It could not be fetched from ${from}: the host fails, or the file is too large.`;
  if (error.status === 504) return `It could not be fetched from ${from}: the host did not respond within 10 s.`;
  if (error.status === 503) return `It could not be fetched from ${from} now: too many files are being fetched.`;
  if (error.status === 429) return 'You have sent too many requests. Wait for a minute.';
  return `It could not be fetched from ${from}.`;
}
