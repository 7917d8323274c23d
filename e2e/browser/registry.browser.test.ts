import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, expect, test } from '@jest/globals';
import { CONTROLS_PROCESSES, logOmittedTests } from '../harness/system.ts';
import { describePages, type Site } from './support/site.ts';

const USABLE = 12;
const UNUSABLE = 3;

/** A registry whose records the tests change, and one that is away. */
interface Source {
  server: Server;
  records: unknown[];
}

let source: Source | undefined;
afterAll(() => void source?.server.close().closeAllConnections());

if (!CONTROLS_PROCESSES) logOmittedTests('the page of the registry');
else
  await describePages('Registry:', specify, {
    async fleet() {
      source = await openSource();
      const { port } = source.server.address() as AddressInfo;
      const base = `http://127.0.0.1:${port}`;
      const REGISTRY_SOURCE_URL = `${base}/registry.json,${base}/away.json`;
      return { env: { registry: { REGISTRY_SOURCE_URL, REGISTRY_REFRESH_SECONDS: '1' } } };
    },
  });

async function openSource(): Promise<Source> {
  const records: unknown[] = Array.from({ length: USABLE }, (_, at) => toRecord(`skill-${at}`));
  records.push('not an object', 7, { tags: ['nameless'] });
  const server = createServer((req, res) => {
    if (req.url !== '/registry.json') res.statusCode = 503;
    res.setHeader('content-type', 'application/json').end(JSON.stringify(records));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, records };
}

function toRecord(name: string): Record<string, unknown> {
  return { name, description: `Does what ${name} does.`, repo: 'example/skills', updated_at: '2026-11-20T09:00:00Z' };
}

/** Changes the records, and waits until the registry has checked them. */
async function change({ api }: Site, records: unknown[]): Promise<void> {
  const read = async () => (await api.get('/api/registry/status')).json as { sources: { checked_at: string }[] };
  source?.records.splice(0, Number.POSITIVE_INFINITY, ...records);
  const now = Date.now();
  await until(read, {
    message: 'the registry has checked its sources',
    holds: ({ sources }) => Date.parse(sources[0]?.checked_at ?? '') > now + 1_000,
  });
}

function specify(site: Site): void {
  test('says which sources work, and why others do not', async () => {
    const page = await site.visit('/console/registry', { as: 'admin' });
    const rows = page.getByRole('region', { name: 'State of the sources' }).locator('tbody tr');
    const [failing = '', working = ''] = await rows.allTextContents();
    expect(failing).toMatch(/away\.json.*responded with status 503.*failing/s);
    expect(working).toMatch(/registry\.json.*up to date/s);
    await page.getByText('may be out of date').waitFor();
  });

  test('lists rejected records with their reasons', async () => {
    const page = await site.visit('/console/registry', { as: 'admin' });
    const rejected = page.getByRole('region', { name: 'Rejected records' });
    expect(await rejected.locator('tbody tr').count()).toBe(UNUSABLE);
    await rejected.getByText('Neither a name nor an id').waitFor();
  });

  test('shows what has changed since the browser saw it, until it is marked as seen', async () => {
    const page = await site.visit('/console/registry', { as: 'admin' });
    await page.getByText('nothing has changed').waitFor();
    const [first, ...others] = source?.records ?? [];
    await change(site, [{ ...(first as object), description: 'Another one.' }, ...others.slice(1), toRecord('newest')]);
    await page.reload();
    const changes = page.getByRole('region', { name: 'Changes' });
    for (const heading of ['Added 1', 'Changed 1', 'Removed 1']) {
      await changes.getByRole('heading', { name: heading }).waitFor();
    }
    await changes.getByRole('button', { name: 'Mark as seen' }).click();
    await changes.getByText('nothing has changed').waitFor();
    await page.reload();
    await changes.getByText('nothing has changed').waitFor();
  });

  test('says which files were refused, and how they are accepted', async () => {
    const records = [...(source?.records ?? [])];
    await change(site, records.slice(0, 2));
    const page = await site.visit('/console/registry', { as: 'admin' });
    const refused = page.getByRole('region', { name: 'Refused files' });
    await refused.getByText('Fewer than half of the skills.').waitFor();
    expect(await refused.locator('pre').textContent()).toMatch(/^REGISTRY_ACCEPT_SNAPSHOT=[0-9a-f]{64}$/);
    await change(site, records);
    await page.reload();
    await refused.waitFor({ state: 'detached' });
  });
}
