import { expect, test } from '@jest/globals';
import { CONTRACT_CASES, successesOf } from '../contract/contract-cases.ts';
import { createWorld } from '../contract/world.ts';
import type { Api } from '../harness/api.ts';

/** What is said of a record that is not there, by the parameter with its id. Reset codes have a test of their own. */
const NOT_FOUND: Record<string, string> = {
  agent_id: 'Agent not found',
  task_id: 'Task not found',
  lease_id: 'Lease not found',
  id: 'Bulk action not found',
  user_id: 'User not found',
  key_id: 'API key not found',
  session_id: 'Session not found',
  skill_id: 'Skill not found',
};
const UUID = '01890a5d-ac96-774b-bcce-b302099a8057';
const LEASE = `${UUID}.${UUID}.1`;
const IDS = [
  ...['1', 'missing', 'null', '__proto__', 'a%20b', 'a.b.c', '%F0%9F%98%80', '%C3%A4', '%zz', '%ff', '%25', '%252F'],
  ...['..%3F', '...', '*', 'x'.repeat(8_000), UUID, LEASE, `${LEASE}x`],
];
const BAD_HEADERS = { 'content-type': 'text/plain', 'x-lease-token': '' };

/** docs/contract.md "Errors": 404, of every operation whose path has an id, also before its body is looked at. */
export function specifyUnknownIds(api: Api): void {
  test('is 404, never 400, whatever form it has and whatever the body or the token of a lease is', async () => {
    const world = await createWorld(api);
    const foreign = await api.createTask((await api.createAgent()).id);
    let count = 0;
    for (const name of Object.keys(CONTRACT_CASES)) {
      const segments = name.slice(name.indexOf('/')).split('/');
      const parameters = Object.entries(NOT_FOUND).filter(([parameter]) => segments.includes(`{${parameter}}`));
      if (parameters.length === 0) continue;
      for (const { prepare } of successesOf(name)) {
        const { method, path, ...good } = await prepare(world);
        const options = { ...good, body: good.body && '{', headers: { ...good.headers, ...BAD_HEADERS } };
        for (const [parameter, detail] of parameters) {
          const at = segments.indexOf(`{${parameter}}`);
          for (const id of parameter === 'task_id' ? [...IDS, foreign.id] : IDS) {
            const changed = path.split('/').with(at, id).join('/');
            const { status, json, text } = await api.call(method, changed, options);
            expect([name, id, status, json ?? text]).toEqual([name, id, 404, { detail }]);
            count++;
          }
        }
      }
    }
    expect(count).toBeGreaterThan(30 * IDS.length);
  });
}
