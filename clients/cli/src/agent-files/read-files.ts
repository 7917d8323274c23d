import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { usageError } from '../errors.ts';
import { toText } from '../text.ts';
import { AgentFileError, type FileAgent, parseAgentFile } from './agent-file.ts';

export interface ReadFile extends FileAgent {
  /** As the user named it, or its folder. */
  path: string;
  owner: string;
}

export interface ReadFiles {
  files: ReadFile[];
  /** Of files and of folders without a file. */
  owners: Set<string>;
  warnings: string[];
  problems: string[];
}

/** Reads files, and the Markdown of folders. @throws CliError for a path that cannot be read */
export async function readAgentFiles(paths: readonly string[], cwd: string, owner?: string): Promise<ReadFiles> {
  const found: ReadFiles = { files: [], owners: new Set(), warnings: [], problems: [] };
  const seen = new Set<string>();
  for (const path of paths) {
    const isFolder = toStat(path, cwd).isDirectory();
    const folder = isFolder ? path : dirname(path);
    const owns = owner ?? (await ownerOf(resolve(cwd, folder), path));
    found.owners.add(owns);
    for (const file of isFolder ? listFolder(path, cwd, found.warnings) : [path]) {
      const real = realpathSync(resolve(cwd, file));
      if (!seen.has(real)) readInto(found, { path: file, owner: owns }, cwd);
      seen.add(real);
    }
  }
  return found;
}

function toStat(path: string, cwd: string) {
  try {
    return statSync(resolve(cwd, path));
  } catch (error) {
    throw usageError(`${path}: ${(error as Error).message}`, 'Name files, or folders with files.');
  }
}

function listFolder(folder: string, cwd: string, warnings: string[]): string[] {
  const entries = readdirSync(resolve(cwd, folder), { withFileTypes: true });
  for (const { name } of entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))) {
    warnings.push(`${join(folder, name)}: a folder in a folder is not read; name it as well`);
  }
  const names = entries.filter((entry) => !entry.isDirectory() && /\.md$/i.test(entry.name)).map(({ name }) => name);
  const agents = names.filter((name) => !/^readme\.md$/i.test(name));
  return agents.sort().map((name) => join(folder, name));
}

function readInto(found: ReadFiles, { path, owner }: Pick<ReadFile, 'path' | 'owner'>, cwd: string): void {
  try {
    const text = toText(path, () => readFileSync(resolve(cwd, path)));
    const parsed = parseAgentFile(text, basename(path).replace(/\.md$/i, ''));
    const twin = found.files.find((other) => other.name === parsed.name && other.owner === owner);
    if (twin) throw new AgentFileError(`name: ${twin.path} has it too`);
    found.files.push({ ...parsed, path, owner });
    found.warnings.push(...parsed.warnings.map((warning) => `${path}: ${warning}`));
  } catch (error) {
    const { message } = error as Error;
    found.problems.push(error instanceof AgentFileError ? `${path}: ${message}` : message);
  }
}

/**
 * The Git origin of a folder and its path there, the same for each clone and each protocol: without scheme, user and
 * `.git`. @throws CliError without one
 */
async function ownerOf(folder: string, path: string): Promise<string> {
  const git = async (...args: string[]) =>
    (await promisify(execFile)('git', ['-C', folder, ...args], { timeout: 10_000 })).stdout.trim();
  try {
    const origin = await git('config', '--get', 'remote.origin.url');
    const place = await git('rev-parse', '--show-prefix');
    return [toRepository(origin), place.replace(/\/$/, '')].filter((part) => part !== '').join('/');
  } catch {
    throw usageError(`${path} is in no Git repository with an origin`, 'Say by --owner <name> who has its agents.');
  }
}

function toRepository(origin: string): string {
  return origin
    .replace(/^[a-z+]+:\/\//i, '')
    .replace(/^[^/@]*@/, '')
    .replace(/^([^/:]+):(?!\d+\/)/, '$1/')
    .replace(/\/?(?:\.git)?\/?$/, '');
}
