import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '@agent-fleet/scripts/services';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Api } from '../harness/api.ts';
import { expectStatus } from '../harness/http-client.ts';
import { blocksOf, commandsOf, runAsUser } from '../harness/run-as-user.ts';
import { FleetProgram } from './fleet-program.ts';

const CLAUDE_AGENTS = join(ROOT, 'e2e/fleet-command/claude-agents');

interface Applied {
  applied: boolean;
  steps: { action: string; name: string; id?: string; changes: { field: string }[] }[];
  warnings: string[];
}

const api = new Api();
const program = new FleetProgram();
beforeAll(() => api.open(), 180_000);
afterAll(() => api.close(), 180_000);

const env = () => ({ FLEET_URL: api.baseUrl, FLEET_API_KEY: api.apiKey });
const run = (...args: string[]) => program.run(args, { env: env() });
const json = (...args: string[]) => program.json<Applied>(args, { env: env() });
const actionsOf = ({ steps }: Applied) => steps.map(({ action, name }) => `${action} ${name}`);
const type = () => api.types[0] as string;

function folderOf(name: string, files: Record<string, string> = {}): string {
  const folder = join(program.home, name);
  mkdirSync(folder);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  return folder;
}

const textsOf = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'latin1')]));

test('files of agents are planned, applied once, changed field by field and pruned', async () => {
  const text = (model: string, last: string) =>
    `---\nname: Applied\ntype: ${type()}\nmodel: ${model}\nlimits: { max_cost: { amount: 1.50, currency: USD } }\n---\n\nFirst\n${last}\n`;
  const folder = folderOf('applied', {
    'a.md': text('one', 'Second'),
    'b.md': `---\nname: Other\ntype: ${type()}\n---\n`,
  });
  const apply = [folder, '--owner', 'apply-test', '--yes'] as const;
  const planned = await run('apply', ...apply, '--dry-run');
  expect(planned).toMatchObject({ code: 8, stdout: expect.stringContaining('+ Applied (') });
  const made = await json('apply', ...apply);
  expect(actionsOf(made)).toEqual(['create Applied', 'create Other']);
  expect(await run('apply', ...apply, '--dry-run')).toMatchObject({ code: 0, stdout: 'Nothing to do\n' });

  writeFileSync(join(folder, 'a.md'), text('two', 'Third'));
  rmSync(join(folder, 'b.md'));
  const changed = await run('apply', ...apply, '--prune');
  for (const line of ['~ model: one -> two', '      -Second', '      +Third', '- Other (', '1 changed, 1 deleted'])
    expect(changed.stdout).toContain(`${line}`);
  const [agent] = made.steps;
  const id = String(agent?.id);
  expect((await api.get(`/agents?owner=apply-test`)).json).toMatchObject([{ id, owner: 'apply-test' }]);

  const rolledBack = await run('agents', 'rollback', id, '1');
  expect(rolledBack.stdout).toBe('Version 3 has the content of version 1\n');
  expect((await run('agents', 'rollback', id, '1')).stdout).toContain('Nothing to do');
  expect((await run('agents', 'diff', id)).stdout).toContain('~ model: two -> one');
  expect((await run('agents', 'diff', id, '1')).stdout).toContain('No difference');
  expect((await run('agents', 'show', id)).stdout).toMatch(/definition +version 3, .+: Back to version 1/);
  expect((await run('agents', 'export', id)).stdout).toBe(
    text('one', 'Second').replace(
      'limits: { max_cost: { amount: 1.50, currency: USD } }',
      'limits:\n  max_cost:\n    amount: 1.5\n    currency: USD',
    ),
  );
});

test('nothing is applied if a file is wrong, and each fault has its file and field', async () => {
  const good = `---\nname: Wrong\ntype: ${type()}\n---\n`;
  const folder = folderOf('wrong', {
    'good.md': good,
    'twice.md': good,
    'bytes.md': 'x',
    'fields.md': `---\nname: Fields\ntype: nothing\nlimits: { max_attempts: 99 }\npermissions: { mode: all }\n---\n`,
    'later.md': '---\nschedules: []\n---\n',
  });
  writeFileSync(join(folder, 'bytes.md'), Buffer.from([0xc3, 0x28]));
  const { code, stderr } = await run('apply', folder, '--owner', 'wrong-test', '--yes');
  expect(code).toBe(2);
  for (const fault of [
    'twice.md: name: ',
    'bytes.md is not UTF-8',
    'fields.md: type must be one of',
    'later.md: schedules',
  ])
    expect(stderr).toContain(fault);
  expect(stderr).toContain('fields.md: limits.max_attempts must be');
  expect(stderr).toContain('fields.md: permissions.mode must be');
  expect((await api.get('/agents?owner=wrong-test')).json).toEqual([]);
  const alone = await run('apply', join(folder, 'good.md'), '--yes');
  expect(alone).toMatchObject({ code: 2, stderr: expect.stringContaining('--owner') });
});

test('a name that two agents have is refused with ids and ages', async () => {
  const ids: string[] = [];
  for (let at = 0; at < 2; at++) {
    const body = { name: 'Apply twins', type: type() };
    const created = await api.call('POST', '/agents?owner=twins-test', { body });
    ids.push(expectStatus<{ id: string }>(created, 201).id);
  }
  const folder = folderOf('twins', { 'a.md': `---\nname: Apply twins\ntype: ${type()}\n---\n` });
  for (const args of [
    ['apply', folder, '--owner', 'twins-test', '--yes'],
    ['tasks', 'add', 'Apply twins', 'x'],
    ['agents', 'diff', 'Apply twins'],
  ]) {
    const { code, stderr } = await run(...args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/\(.*(now|ago)\)/) });
    for (const id of ids) expect(stderr).toContain(id);
  }
  const third = await run('agents', 'create', 'Apply twins', '--type', type());
  expect(third.stderr).toContain(`Warning: the name is taken`);
});

test('files of Claude Code apply with a warning for each thing that is not understood', async () => {
  const folder = join(program.home, 'checkout/.claude/agents');
  cpSync(CLAUDE_AGENTS, folder, { recursive: true });
  const apply = ['apply', folder, '--owner', 'claude-test', '--yes'] as const;
  const { steps, warnings } = await json(...apply);
  expect(steps.every(({ action }) => action === 'create')).toBe(true);
  expect(steps).toHaveLength(12);
  expect(warnings.map((warning) => warning.slice(folder.length + 1)).sort()).toEqual([
    'code-reviewer.md: color is not understood',
    'debugger.md: it has no name, and gets that of the file: debugger',
    expect.stringMatching(/^dependency-keeper.md: description has \d+ characters: it is cut to 500$/),
    'dependency-keeper.md: hooks is not understood',
    'docs-writer.md: permissionMode is not understood',
    'planner.md: background is not understood',
    'planner.md: isolation is not understood',
    'release-manager.md: skills is not understood: it is no list of ids of the registry',
    'security-auditor.md: disallowedTools is not understood',
    'security-auditor.md: maxTurns is not understood',
    'sql-expert.md: mcpServers is not understood',
  ]);
  expect((await json(...apply)).steps).toEqual([]);

  // Round trip: what was exported makes the same agents, which are exported as the same bytes.
  const [first, second] = [join(program.home, 'first'), join(program.home, 'second')];
  await run('agents', 'export', '--folder', first, '--owner', 'claude-test');
  expect(await run('apply', folderOf('empty'), '--owner', 'claude-test', '--prune', '--yes')).toMatchObject({
    code: 0,
  });
  expect((await json('apply', first, '--owner', 'claude-test', '--yes')).steps).toHaveLength(12);
  await run('agents', 'export', '--folder', second, '--owner', 'claude-test');
  expect(textsOf(second)).toEqual(textsOf(first));
  expect(Object.keys(textsOf(first))).toHaveLength(12);
});

test('what was interrupted after an agent was created is completed', async () => {
  const folder = folderOf('interrupted', { 'a.md': `---\nname: Interrupted\ntype: ${type()}\n---\n\nGo on\n` });
  const created = await api.call('POST', '/agents?owner=interrupted-test', {
    body: { name: 'Interrupted', type: type() },
  });
  const { id } = expectStatus<{ id: string }>(created, 201);
  const { steps } = await json('apply', folder, '--owner', 'interrupted-test', '--yes');
  expect(steps).toMatchObject([{ action: 'change', id, changes: [{ field: 'instructions', to: 'Go on' }] }]);
  const { key } = await api.accounts.createKey({ role: 'operator', agent_ids: [id] });
  const limited = await program.run(['apply', folder, '--owner', 'interrupted-test', '--dry-run'], {
    env: { FLEET_URL: api.baseUrl, FLEET_API_KEY: key },
  });
  expect(limited).toMatchObject({ code: 0, stderr: '' });
});

test('the commands of "Describe an agent" work as written', async () => {
  const page = readFileSync(join(ROOT, 'docs/describe-an-agent.md'), 'utf8');
  const [file = ''] = blocksOf(page, 'markdown');
  const commands = commandsOf(page).map((command) => command.replaceAll('npx fleet ', 'fleet '));
  const stdout = await runAsUser(
    api,
    [`mkdir agents && cat > agents/release-notes.md <<'END'\n${file}END`, ...commands].join('\n'),
  );
  for (const said of [
    'exit code 8',
    'Applied: 1 created',
    '      +Name breaking changes first.',
    'Nothing to do',
    'Version 1 to 2',
    'Version 3 has the content of version 1',
    'Too loud',
    'Applied: 1 deleted',
  ])
    expect(stdout).toContain(said);
});
