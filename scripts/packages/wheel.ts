import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';

const ROOT = resolve(import.meta.dirname, '../..');
const PROJECT = join(ROOT, 'clients/python');
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
  return { name: `agent_fleet-${version}-py3-none-any.whl`, bytes: zip(files) };
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

/** A ZIP archive (APPNOTE 6.3). All files are of 1 January 1980: the same sources are the same bytes. */
function zip(files: readonly (readonly [string, Buffer])[]): Buffer {
  const [entries, directory]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const [path, bytes] of files) {
    const deflated = deflateRawSync(bytes);
    // Version 2.0, no flags, deflated, the date; no extra field.
    const sizes = toBytes([deflated.length, 4], [bytes.length, 4], [path.length, 2], [0, 2]);
    const header = Buffer.concat([toBytes([20, 2], [0, 2], [8, 2], [0, 2], [0x21, 2], [crc32(bytes), 4]), sizes]);
    const entry = Buffer.concat([Buffer.from('PK\x03\x04'), header, Buffer.from(path), deflated]);
    // By Unix; no comment, first disk, binary, a regular file of mode 644.
    const attributes = toBytes([0, 6], [0o100644 * 0x10000, 4], [offset, 4]);
    directory.push(Buffer.from('PK\x01\x02\x14\x03'), header, attributes, Buffer.from(path));
    entries.push(entry);
    offset += entry.length;
  }
  const index = Buffer.concat(directory);
  const counts = toBytes([0, 4], [files.length, 2], [files.length, 2], [index.length, 4], [offset, 4], [0, 2]);
  return Buffer.concat([...entries, index, Buffer.from('PK\x05\x06'), counts]);
}

/** Integers, little-endian, each with its number of bytes. */
function toBytes(...integers: [number, number][]): Buffer {
  const bytes = Buffer.alloc(integers.reduce((sum, [, size]) => sum + size, 0));
  integers.reduce((at, [value, size]) => bytes.writeUIntLE(value, at, size), 0);
  return bytes;
}
