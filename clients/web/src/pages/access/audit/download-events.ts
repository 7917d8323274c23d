import { fleetFetch } from '../../../api/fleet.ts';
import { saveFile } from '../../../components/save-file.ts';
import type { AuditFilter } from './audit-query.ts';

/** Saves all events that match as a file with one event a line. @throws Error */
export async function downloadEvents(filter: AuditFilter): Promise<void> {
  const events = new URL(`/audit-events?${new URLSearchParams(filter as Record<string, string>)}`, location.origin);
  const response = await fleetFetch(events.href, { headers: { accept: 'application/x-ndjson' } });
  if (!response.ok) throw new Error(`The fleet responded with the status ${response.status}.`);
  saveFile(await response.blob(), `audit-${new Date().toISOString().slice(0, 10)}.ndjson`);
}
