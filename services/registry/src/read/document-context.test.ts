import { expect, test } from '@jest/globals';
import type { RawRecord } from '../normalise/records.ts';
import { readDocument } from './registry-document.ts';

function recordsOf(document: unknown, address?: string): RawRecord[] {
  const { entries } = readDocument(Buffer.from(JSON.stringify(document)), address);
  return Array.from(entries(), (entry) => entry.read());
}

const skills = [{ name: 'x', description: 'Text.' }];
const contextOf = (document: object, address?: string) => recordsOf({ skills, ...document }, address)[0]?.context;

test.each<[object, repository?: string, ref?: string]>([
  [{ repoUrl: 'https://github.com/a/b.git', owner: 'a', repo: 'b' }, 'https://github.com/a/b.git'],
  [{ owner: 'a', repo: 'b' }, 'a/b'],
  [{ repo: 'a/b', branch: 'dev' }, 'a/b', 'dev'],
  [{ repository: { type: 'git', url: 'git+https://github.com/a/b.git' } }, 'git+https://github.com/a/b.git'],
  [{ repository: { full_name: 'a/b' } }, 'a/b'],
  [{ metadata: { repository: 'https://github.com/a/b', ref: 'v1' } }, 'https://github.com/a/b', 'v1'],
  [{ repo: 'a/b', branch: 'dev', commit: 'c0ffee0' }, 'a/b', 'c0ffee0'],
  [{ git: { url: 'https://github.com/a/b.git', ref: 'v1' } }, 'https://github.com/a/b.git', 'v1'],
  [{ source: { source: 'github', repo: 'a/b', ref: 'v1', sha: 'c0ffee0' } }, 'a/b', 'c0ffee0'],
  [{ repo: 'a/b', ref: 'v1', sha: 'of the file' }, 'a/b', 'v1'],
  [{ source: 'https://github.com/a/b' }, 'https://github.com/a/b'],
  [{ source: 'skills.sh', repo: 'b', ref: 'v1' }],
  [{ repository: 7, owner: { name: 'Ann' } }],
  [{ repository: 'r'.repeat(2_000) }],
])('the repository of all records is read from %j', (document, ...[repository, ref]) => {
  expect(contextOf(document)).toEqual({ kind: 'skill', repository, ref });
});

test('the context of plugins has the owner and the folder of a marketplace, and the address of the file', () => {
  const document = { name: 'm', owner: { name: 'Ann' }, metadata: { pluginRoot: './plugins' }, plugins: skills };
  const address = 'https://example.com/marketplace.json';
  const context = { kind: 'plugin', address, owner: 'Ann', root: './plugins' };
  expect(recordsOf(document, address)).toMatchObject([{ value: skills[0], context }]);
});

test('all records of a list have the same context, so that it is parsed once', () => {
  const [first, second] = recordsOf({ skills: [...skills, ...skills] });
  expect(first?.context).toBe(second?.context);
});

test.each([
  ['plugins', 'plugin'],
  ['agents', 'agent'],
  ['subagents', 'agent'],
  ['commands', 'command'],
  ['mcps', 'mcp_server'],
  ['mcpServers', 'mcp_server'],
  ['mcp_servers', 'mcp_server'],
  ['servers', 'mcp_server'],
  ['hooks', 'hook'],
  ['settings', 'setting'],
])('records of the list %s are of the kind %s, beside skills and alone', (name, kind) => {
  const list = [{ name: 'y', description: 'Text.' }];
  const kinds = (document: object) => recordsOf(document).map(({ value, context }) => [value, context?.kind]);
  expect(kinds({ skills, [name]: list })).toEqual([
    [skills[0], 'skill'],
    [list[0], kind],
  ]);
  expect(kinds({ [name]: list })).toEqual([[list[0], kind]]);
});

test('servers of an MCP registry are read within their wrappers', () => {
  const servers = [{ server: { name: 'io.example/x', description: 'Text.' }, _meta: {} }];
  expect(recordsOf({ servers, metadata: { nextCursor: 'c', count: 1 } })).toMatchObject([
    { value: servers[0], context: { kind: 'mcp_server' } },
  ]);
});

test('configuration beside skills is not read as records', () => {
  const others = {
    mcpServers: { one: { command: 'npx', args: [] } },
    hooks: { PreToolUse: [{ matcher: 'Bash' }] },
    agents: ['./agents/a.md'],
    settings: { theme: 'dark' },
    plugins: ['a'],
  };
  expect(recordsOf({ skills, ...others })).toHaveLength(1);
});

test('records in groups have the category or the repository of their group', () => {
  const groups = [
    { id: 'docs', title: 'Documents', skills },
    { id: 'code', skills: [] },
    { id: 'web', skills },
  ];
  expect(recordsOf({ version: 1, groups }).map(({ index, context }) => [index, context])).toEqual([
    [0, { kind: 'skill', category: 'docs' }],
    [1, { kind: 'skill', category: 'web' }],
  ]);
  expect(recordsOf({ skills: { docs: skills, web: skills } }).map(({ key, context }) => [key, context])).toEqual([
    [undefined, { kind: 'skill', category: 'docs' }],
    [undefined, { kind: 'skill', category: 'web' }],
  ]);
  const repositories = [{ url: 'https://github.com/a/b', skills }];
  const expected = [{ context: { kind: 'skill', repository: 'https://github.com/a/b' } }];
  expect(recordsOf({ repositories })).toMatchObject(expected);
  const marketplaces = [{ repo: 'a/b', plugins: skills }];
  expect(recordsOf({ marketplaces })).toMatchObject([{ context: { kind: 'plugin', repository: 'a/b' } }]);
  const sections = [{ title: 'Docs', items: skills }];
  expect(recordsOf({ sections })).toMatchObject([{ context: { kind: 'skill', category: 'Docs' } }]);
  expect(recordsOf(repositories)).toMatchObject(expected);
});

test('plugins keyed by name are read with the parts inside them, which lie where their plugin does', () => {
  const agents = [{ name: 'y', description: 'Text.' }];
  const one = { version: '1.0.0', git: { url: 'https://github.com/a/b', ref: 'v1' }, components: { skills, agents } };
  const plugins = {
    one,
    two: { sha: 'c0ffee0', skills },
    three: { repo: 'a/c', commands: ['./x.md'], description: 'Text.' },
  };
  const repository = 'https://github.com/a/b';
  expect(recordsOf({ version: 1, plugins }).map(({ key, value, context }) => [key ?? value, context])).toEqual([
    ['one', { kind: 'plugin' }],
    ['two', { kind: 'plugin' }],
    ['three', { kind: 'plugin' }],
    [skills[0], { kind: 'skill', repository, ref: 'v1' }],
    [agents[0], { kind: 'agent', repository, ref: 'v1' }],
    [skills[0], { kind: 'skill', ref: 'c0ffee0' }],
  ]);
  const listed = [{ name: 'p', repo: 'a/b', skills }];
  expect(recordsOf({ plugins: listed }).map(({ context }) => context?.kind)).toEqual(['plugin', 'skill']);
});

test.each([
  { one: { enabled: true }, two: {} },
  { one: { version: '1.0.0', installPath: '/x' } },
  { one: { skills: ['./a'], components: {} } },
])('plugins that are keyed in a configuration are not read: %j', (plugins) => {
  expect(recordsOf({ skills, plugins })).toHaveLength(1);
});

test('the lists of an envelope have its members and those of the file', () => {
  const inner = { skills, nextCursor: 'b', categories: [{ id: 'docs', name: 'Documents' }], repository: 'a/b' };
  const document = readDocument(Buffer.from(JSON.stringify({ data: inner })));
  expect(document.continuation.next).toEqual({ cursor: 'b' });
  expect(document.declared).toMatchObject([{ id: 'docs', name: 'Documents' }]);
  const context = { kind: 'skill', repository: 'a/b' };
  expect(recordsOf({ data: inner })).toMatchObject([{ context }]);
  expect(recordsOf({ repository: 'a/b', data: { skills } })).toMatchObject([{ context }]);
});
