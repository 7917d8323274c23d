import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { own } from '@agent-fleet/scripts/testing/own';
import { expect, test } from '@jest/globals';
import { signInByForm, untilLive } from './support/actions.ts';
import { describePages, type Site, untilReady } from './support/site.ts';

const PREFIX = '/ops/fleet';
/** No browser sends `Sec-Fetch-Site` to another machine over http, nor has it the opener policy there. */
const HOST = 'fleet.example';
const WITHOUT_HTTPS = /Cross-Origin-Opener-Policy/;

/** As nginx with `proxy_pass` alone: its own `Host`, HTTP/1.0, no prefix; it makes entity tags weak. */
async function startProxy(target: () => URL): Promise<string> {
  const server = createServer((req, res) => {
    const { hostname, port, host } = target();
    const path = String(req.url).replace(PREFIX, '');
    if (!req.url?.startsWith(`${PREFIX}/`)) return void res.writeHead(404).end();
    const headers = { ...req.headers, host, connection: 'close' };
    const outgoing = request({ hostname, port, path, method: req.method, headers, agent: false }, (incoming) => {
      const { etag } = incoming.headers;
      res.writeHead(incoming.statusCode ?? 502, { ...incoming.headers, ...(etag && { etag: `W/${etag}` }) });
      incoming.pipe(res);
    });
    outgoing.on('error', () => res.destroy());
    res.on('close', () => outgoing.destroy());
    req.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  own(() => server.close().closeAllConnections());
  return `http://${HOST}:${(server.address() as AddressInfo).port}`;
}

let gateway = '';
let origin = '';

await describePages('Behind a proxy that hides the host and removes a prefix', specify, {
  async fleet() {
    origin = await startProxy(() => new URL(gateway));
    return { env: { gateway: { PUBLIC_URL: origin + PREFIX } } };
  },
  async prepare(site) {
    gateway = site.origin;
    site.origin = origin;
  },
});

function specify(site: Site): void {
  test('the catalogue leads to its pages, and back', async () => {
    const page = await site.visit(`${origin}${PREFIX}/`, { allow: [WITHOUT_HTTPS, /skill\.md/] });
    const row = page.locator('[data-row]').first();
    const href = await row.getAttribute('href');
    expect(href).toMatch(new RegExp(`^${PREFIX}/skills/`));
    await row.click();
    await page.waitForURL(origin + href);
    await untilReady(page);
    await page.reload();
    await untilReady(page);
    await page.getByRole('link', { name: 'Skills', exact: true }).click();
    await page.waitForURL(`${origin}${PREFIX}/`);
    await page.getByRole('link', { name: 'Guide', exact: true }).click();
    await page.getByRole('searchbox', { name: 'Search the guide' }).fill('fencing token lease');
    await page.getByRole('link', { name: 'The HTTP contract: Leases' }).click();
    await page.waitForURL(`${origin}${PREFIX}/guide/contract#md-leases`);
    await page.getByRole('heading', { level: 2, name: 'Leases' }).waitFor();
    await page.goBack();
    await page.getByRole('navigation', { name: 'Guide' }).getByRole('link', { name: 'Concepts' }).click();
    await page.waitForURL(`${origin}${PREFIX}/guide/concepts`);
    expect(await page.getByRole('img').evaluate((img) => (img as HTMLImageElement).naturalWidth)).toBe(360);
  });

  test('the console signs in, is live, creates and edits, and its links have the prefix', async () => {
    const page = await site.newPage({ allow: [WITHOUT_HTTPS] });
    await page.goto(`${origin}${PREFIX}/console/agents`);
    await signInByForm(page, site.api.admin);
    await untilReady(page);
    await untilLive(page);
    await page
      .getByRole('button', { name: /create/i })
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Behind');
    for (const name of ['Next', 'Create agent', 'Go to the agent']) await dialog.getByRole('button', { name }).click();
    await page.getByRole('heading', { level: 1, name: 'Behind' }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Behind a proxy');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Behind a proxy' }).waitFor();
    const links = await page.locator('a[href^="/"]').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    expect(links.filter((href) => !`${href}/`.startsWith(`${PREFIX}/`))).toEqual([]);
    await expect(page.getByText(`--url ${origin}${PREFIX}`).first().textContent()).resolves.toContain('npx fleet');
    await page.goto(`${origin}${PREFIX}/console/workers`);
    await page.getByText(`npx --package ${origin}${PREFIX}/download/fleet.tgz#1.0.0 fleet worker `).waitFor();
    const install = (await page.getByText('pip install').textContent()) ?? '';
    const [, wheel = ''] = /^pip install (\S+\.whl)$/.exec(install) ?? [];
    expect(wheel).toContain(`${origin}${PREFIX}/`);
    expect(await page.evaluate(async (url) => (await fetch(url)).status, wheel)).toBe(200);
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ name: 'fleet', path: '/', httpOnly: true });
  });
}
