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
replay() {
  for begun in 1 2 3 4 5; do IFS= read -r line <&3; done
  while IFS= read -r line <&3; do
    case $line in
      '> '*) IFS= read -r message ;;
      *) printf '%s\\n' "\${line#< }" ;;
    esac
    case $line$message in
      '> turn/start'*README*) printf '# Hello World\\n' > README.md ;;
    esac
  done
}
# All recordings begin in the same way, until it is said whether the session goes on.
IFS= read -r message
printf '{"id":1,"result":{}}\\n'
IFS= read -r message
IFS= read -r message
case $message in
  *thread/resume*) recording=resumed ;;
  *) recording=tools ;;
esac
printf '%s\\n' "$(sed -n '5s/^< //p' "${RECORDINGS}/$recording.jsonl")"
replay 3<"${RECORDINGS}/$recording.jsonl"
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
  expect(stdout).toContain('diff --git a/README.md b/README.md\nnew file mode 100644\n');
  expect(stdout).toContain('+# Hello World\n');
  const said = "  I look around.\n> shell  /bin/bash -c 'ls; exit 3'\n  failed, exit code 3";
  expect(stdout).toContain(said);
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
