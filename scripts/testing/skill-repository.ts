import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const AUTHOR = ['-c', 'user.email=author@example.com', '-c', 'user.name=Author', '-c', 'core.autocrlf=false'];

/** A SKILL.md. */
export function skillFile(name: string, description = `Can ${name}.`, more = ''): string {
  return `---\nname: ${name}\ndescription: ${description}\n${more}---\n\n# ${name}\n`;
}

/** The files of a skill. */
export const REVIEW = {
  'SKILL.md': skillFile('review', 'Reviews code.', 'license: MIT\n'),
  'scripts/run.sh': '#!/bin/sh\necho review\n',
  'notes/Ünï.md': 'notes\n',
};

export function git(folder: string, ...args: string[]): string {
  return execFileSync('git', ['-C', folder, ...AUTHOR, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** A content `-> target` makes a link. */
export function writeFiles(folder: string, files: Record<string, string | Buffer>): void {
  for (const [path, content] of Object.entries(files)) {
    const whole = join(folder, path);
    mkdirSync(dirname(whole), { recursive: true });
    if (typeof content === 'string' && content.startsWith('-> ')) {
      rmSync(whole, { force: true });
      symlinkSync(content.slice(3), whole);
    } else writeFileSync(whole, content);
  }
}

/** Writes files into a repository, which is created if it is missing, and commits them. Returns the commit. */
export function commitFiles(folder: string, files: Record<string, string | Buffer>): string {
  mkdirSync(folder, { recursive: true });
  writeFiles(folder, files);
  git(folder, 'init', '--quiet', '--initial-branch=main');
  git(folder, 'config', 'uploadpack.allowFilter', 'true');
  git(folder, 'add', '--all', '--force', '.');
  git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'Change');
  return git(folder, 'rev-parse', 'HEAD').trim();
}
