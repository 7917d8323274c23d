import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { zipSync } from 'fflate';

const ROOT = resolve(import.meta.dirname, '../..');
const PROJECT = join(ROOT, 'clients/python');
/** Of all files: the same sources are the same bytes. The first time that ZIP has, in the zone of this machine. */
const EPOCH = new Date(1980, 0, 1);
const WHEEL = 'Wheel-Version: 1.0\nGenerator: agent-fleet\nRoot-Is-Purelib: true\nTag: py3-none-any\n';

/** The wheel of the Python client, from its sources (binary distribution format 1.0): it needs no Python. */
export function makeWheel(): { name: string; bytes: Buffer } {
  const version = textOf(readFileSync(join(PROJECT, 'src/agent_fleet/_version.py'), 'utf8'), '__version__');
  const info = `agent_fleet-${version}.dist-info`;
  const sources = readdirSync(join(PROJECT, 'src'), { recursive: true, encoding: 'utf8' }).sort();
  const files: [string, Buffer][] = [
    ...sources
      .filter((path) => /\.py$|\/py\.typed$/.test(path))
      .map((path): [string, Buffer] => [path, readFileSync(join(PROJECT, 'src', path))]),
    [`${info}/licenses/LICENSE`, readFileSync(join(ROOT, 'LICENSE'))],
    [`${info}/METADATA`, Buffer.from(toMetadata(version))],
    [`${info}/WHEEL`, Buffer.from(WHEEL)],
  ];
  const record = files.map(([path, bytes]) => `${path},sha256=${hash('sha256', bytes, 'base64url')},${bytes.length}\n`);
  files.push([`${info}/RECORD`, Buffer.from(`${record.join('')}${info}/RECORD,,\n`)]);
  return {
    name: `agent_fleet-${version}-py3-none-any.whl`,
    bytes: Buffer.from(zipSync(Object.fromEntries(files), { mtime: EPOCH })),
  };
}

/** Core metadata 2.4. */
function toMetadata(version: string): string {
  const project = readFileSync(join(PROJECT, 'pyproject.toml'), 'utf8');
  const [, requirements = ''] = /^dependencies = \[(.*)\]$/m.exec(project) ?? [];
  return [
    `Metadata-Version: 2.4\nName: ${textOf(project, 'name')}\nVersion: ${version}`,
    `Summary: ${textOf(project, 'description')}`,
    `License-Expression: ${textOf(project, 'license')}\nLicense-File: LICENSE`,
    `Requires-Python: ${textOf(project, 'requires-python')}`,
    ...[...requirements.matchAll(/"([^"]+)"/g)].map(([, requirement]) => `Requires-Dist: ${requirement}`),
    `Description-Content-Type: text/markdown\n\n${readFileSync(join(PROJECT, 'README.md'), 'utf8')}`,
  ].join('\n');
}

/** The text that a line of TOML or Python gives a name. */
function textOf(source: string, name: string): string {
  const text = new RegExp(`^${name} = "([^"]*)"$`, 'm').exec(source)?.[1];
  if (text === undefined) throw new Error(`clients/python has no ${name}`);
  return text;
}
