import { existsSync, lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { hasCode, SkillError } from '@agent-fleet/skills/skill-error';
import { Folder } from '@agent-fleet/skills/sources/folder';

const MAX_LINKS = 20;

export interface OpenOptions {
  /** Create what is missing; default false: undefined is returned. */
  creates?: boolean;
}

/**
 * Opens the folder `path` below `root`. Links on the way are followed as long as they stay below `root`.
 * @throws SkillError if a link leads out of `root`, or if something on the way is no folder
 */
export function openBelow(root: string, path: string, options: { creates: true }): Folder;
export function openBelow(root: string, path: string, options?: OpenOptions): Folder | undefined;
export function openBelow(root: string, path: string, { creates = false }: OpenOptions = {}): Folder | undefined {
  if (creates) mkdirSync(root, { recursive: true });
  else if (!existsSync(root)) return undefined;
  const realRoot = realpathSync(root);
  let names = path.split('/').filter(Boolean);
  for (let links = 0; links < MAX_LINKS; links++) {
    const opened = descend(realRoot, names, creates);
    if (!(opened instanceof Link)) return opened;
    names = targetBelow(realRoot, opened, path);
  }
  throw new SkillError(`${join(root, path)} has too many links on its way`);
}

/** A link that is in the way, and the names that follow. */
class Link {
  readonly path: string;
  readonly rest: string[];

  constructor(path: string, rest: string[]) {
    this.path = path;
    this.rest = rest;
  }
}

function descend(root: string, names: readonly string[], creates: boolean): Folder | Link | undefined {
  let folder = Folder.openRoot(root);
  for (const [at, name] of names.entries()) {
    try {
      const next = creates ? folder.openOrCreate(name) : folder.open(name);
      folder.close();
      folder = next;
    } catch (error) {
      const { path } = folder;
      const isLink = hasCode(error, 'ELOOP', 'ENOTDIR') && isSymbolicLink(folder.at(name));
      folder.close();
      if (isLink) return new Link(join(path, name), names.slice(at + 1));
      if (hasCode(error, 'ENOENT') && !creates) return undefined;
      if (hasCode(error, 'ENOTDIR')) throw new SkillError(`${join(path, name)} is not a folder`, 'Move it away.');
      throw error;
    }
  }
  return folder;
}

function targetBelow(root: string, { path, rest }: Link, wanted: string): string[] {
  let target: string;
  try {
    target = realpathSync(path);
  } catch (error) {
    throw new SkillError(`${path} is a link that leads nowhere`, 'Remove the link.', 'failed', error);
  }
  const below = relative(root, target);
  if (below === '..' || below.startsWith(`..${sep}`) || below.startsWith(sep)) {
    throw new SkillError(
      `${path} is a link to ${target}, outside ${root}: nothing is written to ${wanted}`,
      'Remove the link, or run the command in the folder that it leads to.',
    );
  }
  return [...below.split(sep).filter(Boolean), ...rest];
}

function isSymbolicLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}
