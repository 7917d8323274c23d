import { until } from '@agent-fleet/shared/testing/until';
import type { Client } from '../clients/client.ts';
import type { Ledger } from '../clients/ledger.ts';

const AUDIT_TIMEOUT_MS = 15_000;

/** Each agent is as it was last acknowledged, and each of its acknowledged changes is in the audit trail. */
export async function checkAgents(client: Client, ledger: Ledger): Promise<void> {
  for (const [id, { text: expected }] of ledger.agents) {
    const { status, text } = await client.change('GET', `/agents/${id}`);
    const isSame = expected === null ? status === 404 : text === expected;
    if (!isSame) ledger.violate(`agent ${id}: ${status} ${text}, not ${expected}`);
  }
  const findMissing = async () => {
    const known = await readAudited(client);
    return [...ledger.agents].flatMap(([id, { audited }]) =>
      [...audited].filter((action) => !known.has(`${action} ${id}`)).map((action) => `${action} ${id}`),
    );
  };
  let missing: string[] = [];
  const isComplete = async () => {
    missing = await findMissing();
    return missing.length === 0;
  };
  await until(isComplete, { timeoutMs: AUDIT_TIMEOUT_MS, pollMs: 500 }).catch(() => {
    for (const one of missing) ledger.violate(`${one}: not in the audit trail`);
  });
}

async function readAudited(client: Client): Promise<Set<string>> {
  const { text } = await client.change('GET', '/audit-events', { headers: { accept: 'application/x-ndjson' } });
  const lines = text.trimEnd().split('\n').filter(Boolean);
  const events = lines.map((line) => JSON.parse(line) as { action: string; target: { id: string } | null });
  return new Set(events.map(({ action, target }) => `${action} ${target?.id}`));
}
