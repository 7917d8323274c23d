import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import type { RegistryStatus } from '../src/snapshots/contract.ts';
import { registryOf, send } from './fake-upstream.ts';
import { openRegistry, openUpstream } from './open-registry.ts';

const REFRESH_MS = 300_000;
const HOURS = 12;
const SEED = 20_260_301;
/** Never over while upstream answers, on however busy a machine. */
const DEADLINE_MS = 60_000;
/** Waited for in full by each check of an upstream that does not answer. */
const SHORT_DEADLINE_MS = 1_000;
const SILENT_HOURS = 6;
const PATIENCE_MS = 60_000;
const TEST_MS = 600_000;

const html = '<!doctype html><title>Bad gateway</title>';
const bomb = gzipSync(Buffer.alloc(8_000_000));
/** What an upstream does that is not well and answers, and how the status calls it. */
const FAULTS: [code: string, answer: RequestListener][] = [
  ['unreachable', (_req, res) => res.destroy()],
  ['http_status', (_req, res) => send(res, 503, '{}')],
  ['rate_limited', (_req, res) => send(res, 429, '{}', { 'retry-after': '900' })],
  ['html', (_req, res) => send(res, 200, html)],
  ['not_json', (_req, res) => send(res, 200, JSON.stringify(registryOf(50)).slice(0, -7))],
  [
    'truncated',
    (_req, res) => res.writeHead(200, { 'content-length': 9_999 }).write('{"skills":[', () => res.destroy()),
  ],
  ['too_large', (_req, res) => send(res, 200, bomb, { 'content-encoding': 'gzip' })],
  ['redirect', (_req, res) => res.writeHead(302, { location: '/registry.json' }).end()],
  ['redirect', (_req, res) => res.writeHead(302, { location: 'file:///etc/passwd' }).end()],
  ['shrunk', (_req, res) => send(res, 200, JSON.stringify(registryOf(3)))],
  ['empty', (_req, res) => send(res, 200, '')],
];

/** Numbers from 0 to 1, the same ones in each run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A registry of fifty skills whose clock is set by the test. */
async function openHours(deadlineMs: number) {
  const clock = { ms: Date.now() };
  const upstream = await openUpstream(50);
  const registry = await openRegistry({
    source: upstream.url,
    now: () => clock.ms,
    refreshMs: REFRESH_MS,
    limits: { deadlineMs, maxBytes: 1_000_000 },
  });
  const askAgain = async (): Promise<RegistryStatus | undefined> => {
    await registry.refresh();
    const { status, body } = await registry.http.get('/api/registry/status');
    return status === 200 ? body : undefined;
  };
  /**
   * Asks more than once where the machine is too busy for a short deadline: of upstream, and of the file that ships.
   */
  const untilWell = (skills: number) =>
    until(askAgain, {
      holds: (status) => status?.counts.skills === skills && status.last_error === null,
      timeoutMs: PATIENCE_MS,
    });
  await untilWell(50);
  return { clock, upstream, registry, untilWell };
}

test(
  'survives twelve hours of faults, tells each, and is well again whenever upstream is',
  async () => {
    const random = createRandom(SEED);
    const { clock, upstream, registry } = await openHours(DEADLINE_MS);
    const seen = new Set<string>();
    let size = 50;
    for (let at = 0; at < (HOURS * 3_600_000) / REFRESH_MS; at++) {
      clock.ms += REFRESH_MS;
      const [code, answer] = FAULTS[Math.floor(random() * FAULTS.length)] ?? (FAULTS[0] as (typeof FAULTS)[number]);
      const isWell = random() < 0.4;
      if (isWell) upstream.serve(registryOf(++size));
      else upstream.answer = answer;
      const before = upstream.requests.length;
      await registry.refresh();
      const isAsked = upstream.requests.length > before;
      const status = await registry.status();
      const list = (await registry.http.get('/api/skills').expect(200)).body;
      expect(list).toHaveLength(status.counts.skills);
      if (!isAsked) {
        // It has asked for a pause.
        expect(status.last_error?.code).toBe('rate_limited');
        if (isWell) size--;
        continue;
      }
      if (isWell) {
        expect(status).toMatchObject({ last_error: null, stale: false, counts: { skills: size } });
      } else {
        expect(status).toMatchObject({ last_error: { code }, stale: true, counts: { skills: size } });
        seen.add(code);
      }
      expect(Date.parse(status.checked_at ?? '')).toBe(clock.ms);
    }
    // As many as there are: the random numbers must not have left one out.
    expect([...seen].sort()).toEqual([...new Set(FAULTS.map(([code]) => code))].sort());
    expect((await registry.http.get('/health').expect(200)).body).toEqual({ status: 'ok' });
  },
  TEST_MS,
);

test(
  'survives hours of an upstream that does not answer, and is well again when it does',
  async () => {
    const { clock, upstream, registry, untilWell } = await openHours(SHORT_DEADLINE_MS);
    for (let hour = 1; hour <= SILENT_HOURS; hour++) {
      clock.ms += 3_600_000;
      upstream.answer = () => {};
      await registry.refresh();
      const status = await registry.status();
      expect(status).toMatchObject({ last_error: { code: 'timeout' }, stale: true, counts: { skills: 49 + hour } });
      expect(Date.parse(status.checked_at ?? '')).toBe(clock.ms);
      expect((await registry.http.get('/api/skills').expect(200)).body).toHaveLength(49 + hour);
      clock.ms += REFRESH_MS;
      upstream.serve(registryOf(50 + hour));
      expect(await untilWell(50 + hour)).toMatchObject({ stale: false });
    }
  },
  TEST_MS,
);
