import { setTimeout as sleep } from 'node:timers/promises';
import { bearer, type TokenReply } from '../../harness/accounts.ts';
import type { Agent } from '../../harness/api.ts';
import type { CallOptions } from '../../harness/http-client.ts';
import { ADMIN } from '../../harness/local-fleet.ts';
import type { Client } from './client.ts';

const EVERY_MS = 250;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** Creates and replaces agents as a person, and deletes every second one, until it is over. */
export async function changeAgents(client: Client, isOver: () => boolean): Promise<void> {
  const { ledger } = client;
  let token = await signIn(client);
  const send = async (method: string, path: string, options: CallOptions) => {
    for (let tries = 0; ; ) {
      const response = await client.change(method, path, { ...options, as: bearer(token) });
      tries += response.attempts;
      // A token expires early for a gateway whose clock was moved.
      if (response.status !== 401) return { ...response, isRepeated: tries > 1 };
      await sleep(EVERY_MS);
      token = await signIn(client);
    }
  };
  for (let count = 0; !isOver(); count++) {
    const op = `${client.name}-${count}`;
    const headers = { 'idempotency-key': op };
    const created = await send('POST', '/agents', { headers, body: { name: op, type: 'claude' } });
    if (created.status !== 201) {
      ledger.violate(`${op}: created with ${created.status} ${created.text}`);
      continue;
    }
    const { id } = created.json as Agent;
    const agent = { text: created.text as string | null, audited: new Set(['agent.created']) };
    ledger.agents.set(id, agent);
    const replaced = await send('PUT', `/agents/${id}`, { body: { name: `${op} replaced`, type: 'claude' } });
    if (replaced.status !== 200) ledger.violate(`${op}: replaced with ${replaced.status} ${replaced.text}`);
    agent.text = replaced.text;
    agent.audited.add('agent.replaced');
    if (count % 2 === 0) {
      const { status, text, isRepeated } = await send('DELETE', `/agents/${id}`, {});
      if (status !== 204 && !(status === 404 && isRepeated)) ledger.violate(`${op}: deleted with ${status} ${text}`);
      agent.text = null;
      if (status === 204) agent.audited.add('agent.deleted');
    }
    await sleep(EVERY_MS);
  }
}

export async function signIn(client: Client): Promise<string> {
  const body = String(new URLSearchParams({ username: ADMIN.email, password: ADMIN.password }));
  const response = await client.change('POST', '/token', { as: 'nobody', headers: FORM, body });
  if (response.status !== 200) throw new Error(`POST /token: ${response.status} ${response.text}`);
  return (response.json as TokenReply).access_token;
}
