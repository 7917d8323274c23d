import { writeFileSync } from 'node:fs';
import { ecKey, toPem } from '@agent-fleet/shared/testing/forge';
import { remaining } from '@agent-fleet/shared/testing/processes';
import { expect, test } from '@jest/globals';
import { getToken, WITH_KEY } from '../support/gateway.ts';
import { startProcesses } from '../support/gateway-process.ts';
import { startLoad } from '../support/load.ts';
import { writeOwnFile } from '../support/own-file.ts';

test('SIGHUP replaces all processes, which read their key files again, and loses no request', async () => {
  const keyFile = writeOwnFile('jwt.pem', toPem(ecKey()));
  const gateway = await startProcesses(2, { JWT_PRIVATE_KEY_FILE: keyFile });
  const headers = { authorization: `Bearer ${await getToken(gateway)}` };
  const before = gateway.children();
  const load = startLoad(gateway.url, 8, WITH_KEY);
  writeFileSync(keyFile, toPem(ecKey()));
  gateway.signal('SIGHUP');
  await gateway.untilLogged('replaced all processes');
  const { errors, answered } = await load.end();
  expect(errors).toEqual([]);
  expect(answered).toBeGreaterThan(100);
  await expect(remaining(before, 0)).resolves.toEqual([]);
  expect(gateway.children()).toHaveLength(2);
  expect((await fetch(`${gateway.url}/protected`, { headers })).status).toBe(401);
  // The counts of the replaced processes are included; those of the new ones follow a little later.
  await gateway.untilMetric(`route="/agents",status="200"} ${answered}`);
});

test('after SIGHUP with a bad key file the old processes stay', async () => {
  const keyFile = writeOwnFile('jwt.pem', toPem(ecKey()));
  const gateway = await startProcesses(2, { JWT_PRIVATE_KEY_FILE: keyFile });
  const before = gateway.children();
  writeFileSync(keyFile, 'no key');
  gateway.signal('SIGHUP');
  const line = await gateway.untilLogged('failed to replace processes, keeping the old ones');
  expect(line).toMatchObject({ level: 'error', reason: expect.stringMatching(/^JWT_PRIVATE_KEY_FILE: [^\n]*$/) });
  expect(gateway.children()).toEqual(before);
  expect((await fetch(`${gateway.url}/ready`)).status).toBe(200);
  expect(gateway.errors).toBe('');
});

test('a gateway of one process logs and ignores SIGHUP', async () => {
  const gateway = await startProcesses(1);
  gateway.signal('SIGHUP');
  const line = await gateway.untilLogged('SIGHUP ignored: a single process cannot restart without losing requests');
  expect(line).not.toHaveProperty('pid');
  expect(gateway.children()).toEqual([]);
  expect((await fetch(`${gateway.url}/ready`)).status).toBe(200);
});
