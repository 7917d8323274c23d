import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChild } from '@agent-fleet/scripts/local/child-process';
import { freePorts } from '@agent-fleet/scripts/local/ports';
import { findOnPath } from '@agent-fleet/scripts/local/system-packages';
import { ROOT } from '@agent-fleet/scripts/services';
import { own } from '@agent-fleet/scripts/testing/own';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { toConfig } from './load-balancer.ts';

const withHaproxy = findOnPath(['haproxy']) ? test : test.skip;

/** Starts HAProxy without gateways on a free port; returns its URL and the lines of its log for requests. */
async function startLoadBalancer() {
  const { http, inside } = await freePorts(['http', 'inside']);
  const file = join(ownFolder(), 'haproxy.cfg');
  const text = toConfig(readFileSync(join(ROOT, 'deploy/haproxy/haproxy.cfg'), 'utf8'), []);
  const bound = text.replace(':8080\n', `127.0.0.1:${http}\n`).replace(':8404\n', `127.0.0.1:${inside}\n`);
  writeFileSync(file, bound);
  const child = startChild('haproxy', ['-f', file]);
  own(() => child.kill());
  const url = `http://127.0.0.1:${http}`;
  await until(() => fetch(`http://127.0.0.1:${inside}/health`).then(({ status }) => status === 503));
  const lines = () =>
    child
      .printed()
      .split('\n')
      .filter((line) => line.startsWith('{'));
  return { url, lines: () => lines().map((line) => JSON.parse(line) as Record<string, unknown>) };
}

withHaproxy('a 503 of the load balancer has the request id of its line in the log, which names the cause', async () => {
  const { url, lines } = await startLoadBalancer();
  const idFor = async (sent: string) => {
    const { status, headers } = await fetch(`${url}/password-resets/code?key=secret`, {
      headers: { 'X-Request-Id': sent },
    });
    expect([status, headers.get('retry-after'), headers.get('x-fleet-error')]).toEqual([503, '1', null]);
    return headers.get('x-request-id');
  };
  const ids = await Promise.all(['"mine"', 'not valid', 'x'.repeat(129)].map(idFor));
  expect(ids).toEqual(['"mine"', expect.stringMatching(/^[\w-]{36}$/), expect.stringMatching(/^[\w-]{36}$/)]);
  await until(() => lines().length === 3);
  const cause = { status: 503, error: 'unavailable', rejected_by: 'no_gateway', path: '/password-resets/*' };
  const expected = ids.map((id) => expect.objectContaining({ request_id: id, ...cause }));
  expect(lines()).toEqual(expect.arrayContaining(expected));
});
