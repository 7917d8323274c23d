import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { ROOT } from '@agent-fleet/scripts/services';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';

export const LIVE_PAGE = '/live-page/';
const HTML = `<!doctype html>
<title>Live</title>
<link rel="icon" href="data:,">
<script type="module" src="${LIVE_PAGE}page"></script>
`;

/** Notes what a page sees of the live events. */
const SCRIPT = `
import { live } from './live.ts';
const page = { events: [] };
page.live = live;
page.read = () => ({
  events: page.events,
  state: live.state.value,
  resyncs: live.resyncs.value,
});
live.subscribe((events) => {
  for (const { id, type, agent_id } of events) page.events.push([Number(id), type, agent_id]);
});
live.start();
globalThis.livePage = page;
`;

/** What a page has seen. */
export interface SeenLive {
  events: [id: number, type: string, agentId: string][];
  state: string;
  resyncs: number;
}

const SOURCE = { contents: SCRIPT, resolveDir: join(ROOT, 'clients/web/src/api') };

/** Serves a page that has nothing but the live events of `clients/web`. Returns whether a path is one of its own. */
export async function createLivePage() {
  const { outputFiles } = await build({ stdin: SOURCE, bundle: true, format: 'esm', write: false });
  const script = outputFiles.map(({ text }) => text).join('');
  return ({ url }: IncomingMessage, res: ServerResponse): boolean => {
    if (url === LIVE_PAGE) res.setHeader('content-type', 'text/html').end(HTML);
    else if (url === `${LIVE_PAGE}page`) res.setHeader('content-type', 'text/javascript').end(script);
    else return false;
    return true;
  };
}

export function readLive(page: Page): Promise<SeenLive> {
  return page.evaluate('livePage.read()');
}
