import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '@agent-fleet/scripts/services';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Api } from '../harness/api.ts';
import { commandsOf, runAsUser } from '../harness/run-as-user.ts';

const PAGE = readFileSync(join(ROOT, 'docs/run-your-first-agent.md'), 'utf8');
const RECORDINGS = join(ROOT, 'clients/worker/test/recordings/codex');
const GITHUB = 'https://github.com/';

/** In the place of Codex: says what Codex has said, and writes a README where there is a clone. */
const CODEX = `#!/bin/sh
if [ "$1" = --version ]; then
  echo 'codex-cli 0.171.0'
  exit
fi
message=$(cat)
recording=tools
case " $* " in *' resume '*) recording=resumed ;; esac
case $message in *README*) printf '# Hello World\\n' > README.md ;; esac
cat "${RECORDINGS}/$recording.jsonl"
`;

const api = new Api();
const folder = ownFolder();
beforeAll(() => api.open(), 180_000);
afterAll(() => api.close(), 180_000);

test('the commands of "Run your first agent" work as written', runPage, 180_000);

async function runPage(): Promise<void> {
  const path = join(folder, 'bin');
  mkdirSync(path);
  writeFileSync(join(path, 'codex'), CODEX, { mode: 0o755 });
  createRepository(join(folder, 'octocat/Hello-World'));
  const commands = commandsOf(PAGE.replaceAll(GITHUB, `file://${folder}/`)).map(toScript);
  const end = 'kill $WORKER; wait $WORKER || true; cat worker.log';
  const script = [`trap '${end}' EXIT`, ...commands].join('\n');
  const stdout = await runAsUser(api, script, { path: [path], env: { OPENAI_API_KEY: 'the key of the provider' } });

  expect(stdout).toContain('name     First agent\ntype     gpt\n');
  expect(stdout).toContain(`Taking tasks of type gpt from ${api.baseUrl}`);
  expect(stdout.match(/"text": "Done\."/g)).toHaveLength(2);
  expect(stdout).toMatch(/task\.completed .* completed {2}\{"attempt":1\}/);
  expect(stdout).toContain('diff --git a/README.md b/README.md\nnew file mode 100644\n');
  expect(stdout).toContain('+# Hello World\n');
  expect(stdout).toContain('system  command_execution: /bin/bash -c ls\n');
  expect(stdout).toContain('"text": "{\\"n\\":1}"');
  expect(stdout.match(/\(attempt 1\): completed/g)).toHaveLength(3);
  await deleteAgents((name) => name === 'First agent');
}

async function deleteAgents(isOurs: (name: string) => boolean): Promise<void> {
  const agents = (await api.get('/agents')).json as { id: string; name: string }[];
  for (const { id, name } of agents) if (isOurs(name)) await api.call('DELETE', `/agents/${id}`);
}

/** Without npx, which is slow and does not pass signals on. The worker has a terminal of its own on the page. */
function toScript(command: string): string {
  const direct = command.replaceAll('npx fleet ', 'fleet ');
  return direct.startsWith('fleet worker ') ? `${direct} >worker.log 2>&1 & WORKER=$!` : direct;
}

function createRepository(path: string): void {
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'README'), 'Hello World!\n');
  const git = (...args: string[]) => execFileSync('git', ['-C', path, ...args], { stdio: 'pipe' });
  git('init', '--quiet', '--initial-branch=master');
  git('add', '--all');
  git('-c', 'user.email=author@example.com', '-c', 'user.name=Author', 'commit', '--quiet', '--message=Create README');
}
