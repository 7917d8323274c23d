import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { sweepCache } from '../../src/workspace/repository-cache.ts';
import { writtenBy } from '../support/programs.ts';
import { Repositories } from '../support/repositories.ts';
import { DONE, say, useAgents } from './support/fake-agent.ts';

const agents = useAgents();
const repositories = new Repositories();

test('reports the changes of an attempt during which the cache is swept, also when its session goes on', async () => {
  repositories.commit({ 'a.txt': 'one\n' });
  const cache = join(agents.base, '.repositories');
  const sweep = () => sweepCache(cache, { maxBytes: 0, maxAgeMs: 0 });
  const options = { repositories: [repositories.server.url] };
  const workspace = { repository: repositories.url(), ref: 'main' };
  for (const [at, task] of [{ id: 'first' }, { continue_of: 'first' }].entries()) {
    const [begun, end] = ['begun', 'end'].map((name) => repositories.path(`${name}-${at}`));
    const wait = `echo yes > ${begun}; until [ -e ${end} ]; do sleep 0.05; done`;
    const script = `${say({ type: 'session', id: 's' })}; echo two >> a.txt; ${wait}; ${DONE}`;
    const { result } = agents.start(script, options, { ...task, workspace });
    await writtenBy(`${begun}`);
    await sweep();
    writeFileSync(`${end}`, '');
    const file = { path: 'a.txt', status: 'modified', added: at + 1, removed: 0 };
    await expect(result).resolves.toMatchObject({ changes: { files: [file] } });
  }
  await sweep();
  expect(readdirSync(cache)).toEqual([]);
});
