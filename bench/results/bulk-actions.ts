import type { BulkResults } from '../fleet/bulk-actions.ts';
import { spaced, table } from './markdown.ts';

export function bulkActionsSection({ tasks, perSecond, quietP99Ms, busyP99Ms, seconds }: BulkResults): string {
  return `## Other requests while a bulk action cancels ${spaced(tasks)} tasks

${perSecond} \`GET /agents/{id}\` a second through the gateway. The bulk action took ${seconds.toFixed(0)} s.

${table(
  ['', 'p99 ms'],
  [
    ['without the bulk action', quietP99Ms.toFixed(1)],
    ['while it runs', busyP99Ms.toFixed(1)],
  ],
)}`;
}
