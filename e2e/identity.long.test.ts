import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { portProblem } from '@agent-fleet/scripts/local/ports';
import { startTestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import { Api } from './harness/api.ts';
import { CONTROLS_PROCESSES, logOmittedTests } from './harness/system.ts';
import { failRandomly } from './histories/failures.ts';
import { Findings } from './histories/findings.ts';
import { Gateways } from './histories/gateways.ts';
import { History } from './histories/history.ts';
import { Random } from './histories/random.ts';
import type { AuditEvent } from './spec/identity/audit.ts';

/** A reserved name (RFC 2606). */
const HOST_NAME = 'identity.test';
const ADDRESSES = ['127.0.0.2', '127.0.0.3'] as const;
const HISTORIES = 6;
const SECONDS = Number(process.env.E2E_IDENTITY_SECONDS || 30);
const SEED = Number(process.env.E2E_IDENTITY_SEED || randomInt(2 ** 31));
const HAS_ADDRESSES = (await portProblem(0, ADDRESSES[1])) === undefined;

if (CONTROLS_PROCESSES && HAS_ADDRESSES) describe('Two gateways and two replicas of identity:', specifyHistories);
else {
  logOmittedTests('random histories of users and credentials');
  test('this system has no addresses for replicas', () => expect(CONTROLS_PROCESSES && HAS_ADDRESSES).toBe(false));
}

function specifyHistories(): void {
  const [first, ...others] = ADDRESSES;
  const api = Api.duringTests({
    // What is acknowledged must survive the kills, also on a Redis without WAITAOF.
    ownRedis: () => startTestRedis({ args: ['--appendfsync', 'always'] }),
    moreGateways: 1,
    nodeArgs: ['--import', fileURLToPath(new URL('./harness/host-names.ts', import.meta.url))],
    hostNames: { identity: HOST_NAME },
    replicas: { identity: others },
    env: {
      identity: { HOST: first, PASSWORD_HASH_MEMORY_KIB: '8192', PASSWORD_HASH_PASSES: '1' },
      gateway: { E2E_HOST_NAMES: JSON.stringify({ [HOST_NAME]: ADDRESSES }) },
    },
  });

  test(
    `what was revoked is never accepted after 3 s, and what is good is never refused, in random histories of ${SECONDS} s with kills`,
    async () => {
      console.info(`E2E_IDENTITY_SEED=${SEED} E2E_IDENTITY_SECONDS=${SECONDS}`);
      const gateways = new Gateways(api.fleet.gateways, api.apiKey);
      const findings = new Findings();
      const endMs = performance.now() + SECONDS * 1_000;
      const histories = Array.from({ length: HISTORIES }, (_, at) => new History(SEED + at + 1, gateways, findings));
      const [failures] = await Promise.all([
        failRandomly(api.fleet, gateways, new Random(SEED), endMs),
        ...histories.map((history) => history.run(endMs)),
      ]);
      gateways.close();
      console.info({ failures, ...Object.fromEntries(findings.counts), latestUseMs: Math.round(findings.latestUseMs) });
      expect(findings.violations).toEqual([]);
      expect(findings.counts.get('good checks')).toBeGreaterThan(SECONDS * 10);
      expect(findings.counts.get('ended checks')).toBeGreaterThan(SECONDS * 5);
      await expectAudited(findings.audited);
    },
    SECONDS * 1_000 + 240_000,
  );

  /** Every acknowledged change has an entry in the trail with its request. */
  async function expectAudited(audited: ReadonlyMap<string, string>): Promise<void> {
    await api.fleet.untilReady();
    expect(audited.size).toBeGreaterThan(SECONDS);
    const missing = async () => {
      const { text } = await api.get('/audit-events', { accept: 'application/x-ndjson' });
      const events = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as AuditEvent);
      const known = new Set(events.map(({ request_id, action }) => `${request_id} ${action}`));
      return [...audited].map(([id, action]) => `${id} ${action}`).filter((one) => !known.has(one));
    };
    const holds = (found: string[]) => found.length === 0;
    await until(missing, { message: 'every acknowledged change is in the trail', timeoutMs: 10_000, holds });
  }
}
