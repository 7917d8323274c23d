import { type ListedEntry, MAX_FILES, refused, tooManyFiles } from './entries.ts';

const MAX_HOPS = 40;

/**
 * For every file to install, the listed file that has its content: itself, or what a link leads to. Links to folders
 * bring all their files. Nothing is read from the file system.
 * @throws SkillError if a link leads out of the folder, nowhere, or round in circles
 */
export function resolveLinks(
  entries: readonly ListedEntry[],
  targetOf: (path: string) => string,
): Map<string, ListedEntry> {
  const files = new Map<string, ListedEntry>();
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  const add = (path: string, entry: ListedEntry, depth: number): void => {
    if (files.size > MAX_FILES) throw tooManyFiles();
    if (entry.type === 'file') {
      files.set(path, entry);
      return;
    }
    const target = follow(entry.path, byPath, targetOf);
    const found = byPath.get(target);
    if (found) {
      add(path, found, depth);
      return;
    }
    if (isWithin(entry.path, target) || depth > MAX_HOPS)
      throw refused(`the link ${entry.path} leads round in circles`);
    const inside = entries.filter((one) => isWithin(one.path, target) && one.path !== target);
    if (inside.length === 0) throw refused(`the link ${entry.path} leads nowhere`);
    for (const one of inside) add(`${path}${one.path.slice(target.length)}`, one, depth + 1);
  };
  for (const entry of entries) add(entry.path, entry, 0);
  return files;
}

function isWithin(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

/** The path of the file or folder that a link leads to, over any number of links. */
function follow(link: string, byPath: ReadonlyMap<string, ListedEntry>, targetOf: (path: string) => string): string {
  let at: string[] = [];
  let rest = link.split('/');
  let hops = 0;
  while (rest.length > 0) {
    const [name = '', ...after] = rest;
    rest = after;
    if (name === '' || name === '.') continue;
    if (name === '..') {
      if (at.length === 0) throw refused(`the link ${link} leads out of it`);
      at.pop();
      continue;
    }
    const path = [...at, name].join('/');
    if (byPath.get(path)?.type !== 'link') {
      at.push(name);
      continue;
    }
    if (++hops > MAX_HOPS) throw refused(`the link ${link} leads round in circles`);
    const target = targetOf(path);
    if (target.startsWith('/') || target.includes('\\') || target.includes('\0')) {
      throw refused(`the link ${link} leads out of it`);
    }
    rest = [...target.split('/'), ...rest];
    if (rest.length > 1_000) throw refused(`the link ${link} leads round in circles`);
  }
  at = at.filter(Boolean);
  return at.join('/');
}
