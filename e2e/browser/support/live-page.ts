import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { ROOT } from '@agent-fleet/scripts/services';
import type { Page } from 'playwright-core';

export const LIVE_PAGE = '/live-page/';
const MODULE = /^\/live-page\/([\w-]+\.ts)$/;
const SOURCES = join(ROOT, 'clients/web/src/live');
const SIGNALS = join(ROOT, 'node_modules/@preact/signals-core/dist/signals-core.mjs');

const HTML = `<!doctype html>
<title>Live</title>
<link rel="icon" href="data:,">
<script type="importmap">{ "imports": { "@preact/signals": "${LIVE_PAGE}signals" } }</script>
<script type="module" src="${LIVE_PAGE}page"></script>
`;

/** Notes what a page sees of the live events. */
const SCRIPT = `
const page = { events: [], batches: 0, states: [] };
const sources = [];
globalThis.EventSource = class extends EventSource {
  constructor(url) {
    super(page.nextStream ?? url);
    page.nextStream = undefined;
    sources.push(this);
  }
};
const { live } = await import('${LIVE_PAGE}live.ts');
page.live = live;
page.read = () => ({
  events: page.events,
  batches: page.batches,
  states: page.states,
  state: live.state.value,
  resyncs: live.resyncs.value,
  ended: page.ended,
  isLeader: sources.some(({ readyState }) => readyState !== EventSource.CLOSED),
});
live.state.subscribe((state) => page.states.push(state));
live.subscribe((events) => {
  page.batches += 1;
  for (const { id, type, agent_id } of events) page.events.push([Number(id), type, agent_id]);
});
page.start = () => live.start({ onSignedOut: (reason) => (page.ended = reason) });
page.start();
globalThis.livePage = page;
`;

/** What a page has seen. */
export interface SeenLive {
  events: [id: number, type: string, agentId: string][];
  /** How often the listener was called. */
  batches: number;
  states: string[];
  state: string;
  resyncs: number;
  /** Why the session ended, if it did. */
  ended: string | undefined;
  /** Whether this page has the stream. */
  isLeader: boolean;
}

/** Serves a page that has nothing but the live events of `clients/web`. Returns whether the path is one of its own. */
export function serveLivePage({ url = '' }: IncomingMessage, res: ServerResponse): boolean {
  const [, module] = MODULE.exec(url) ?? [];
  if (url === LIVE_PAGE) res.setHeader('content-type', 'text/html').end(HTML);
  else if (url === `${LIVE_PAGE}page`) sendScript(res, SCRIPT);
  else if (url === `${LIVE_PAGE}signals`) sendScript(res, readFileSync(SIGNALS, 'utf8'));
  else if (module) sendScript(res, stripTypeScriptTypes(readFileSync(join(SOURCES, module), 'utf8')));
  else return false;
  return true;
}

export function readLive(page: Page): Promise<SeenLive> {
  return page.evaluate('livePage.read()');
}

function sendScript(res: ServerResponse, text: string): void {
  res.setHeader('content-type', 'text/javascript').end(text);
}
