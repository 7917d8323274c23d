import { dirname, join } from 'node:path/posix';
import { specifiersOf } from './import-star.ts';
import type { SourceFile } from './source-files.ts';

/** By room: each folder or file of it imports only from those in the rows before its own. Tests may import all. */
export const ORDERS: Record<string, string[][]> = {
  'shared/src': [
    ['comma-list.ts', 'exact-json.ts', 'ids.ts', 'logger.ts', 'network.ts', 'trace-context.ts'],
    ['redis'],
    ['config.ts', 'http'],
    ['contract', 'metrics', 'process.ts'],
    ['tracing'],
    ['service-config.ts', 'service.ts', 'testing'],
  ],
  'access/src': [
    ['api-key-text.ts', 'audit.ts', 'environment-keys.ts', 'keys.ts', 'records.ts', 'tokens'],
    ['testing'],
  ],
  'services/agents/src': [
    ['config.ts', 'contract', 'metrics', 'migrations'],
    ['redis', 'agent-work'],
    ['events'],
    ['audit', 'idempotency'],
    ['skills', 'budgets'],
    ['definitions'],
    ['agents'],
    ['tasks'],
    ['workers'],
    ['conversations'],
    ['leases', 'timers', 'stats', 'bulk-actions'],
    ['background', 'logs'],
    ['routes.ts'],
    ['fleet.ts'],
    ['service.ts'],
    ['main.ts'],
  ],
  'services/identity/src': [
    ['passwords'],
    ['config.ts'],
    ['redis'],
    ['http', 'stores', 'audit'],
    ['sign-in'],
    ['sessions', 'api-keys'],
    ['tokens', 'users', 'start'],
    ['service.ts'],
    ['main.ts'],
  ],
  'services/registry/src': [
    ['http-date.ts', 'keys.ts', 'memory', 'time-slice.ts'],
    ['skills', 'source'],
    ['changes', 'config.ts', 'index'],
    ['normalise', 'search'],
    ['read'],
    ['fetch', 'merge'],
    ['build', 'store'],
    ['serve'],
    ['publish'],
    ['routes.ts'],
    ['app.ts'],
    ['service.ts'],
    ['main.ts'],
  ],
  'clients/sdk/src': [
    ['backoff.ts', 'errors.ts', 'options.ts', 'text.ts', 'words.ts', 'generated'],
    ['requests.ts', 'send.ts'],
    ['events.ts', 'wait-for-task.ts'],
    ['exact-json.ts', 'fleet.ts'],
    ['index.ts'],
  ],
  'clients/skills/src': [
    ['skill-error.ts', 'folder-size.ts'],
    ['content', 'git-command.ts', 'process-lock.ts'],
    ['sources'],
    ['registry.ts'],
  ],
  'clients/cli/src': [
    ['errors.ts'],
    ['mutex.ts', 'output', 'text.ts'],
    ['settings'],
    ['context.ts'],
    ['lookup.ts'],
    ['agent-files'],
    ['skills', 'commands'],
    ['program.ts'],
    ['run.ts'],
    ['main.ts'],
  ],
  'clients/worker/src': [
    ['task.ts'],
    ['availability.ts', 'errors.ts', 'messages.ts', 'pieces.ts', 'redaction.ts', 'processes'],
    ['ask-person.ts', 'backoff.ts', 'options.ts', 'report.ts', 'workspace', 'skills', 'runtimes'],
    ['ask-server.ts'],
    ['exec-handler.ts', 'fleet-client.ts', 'proxy'],
    ['dialogue', 'heartbeats.ts', 'task-log.ts', 'attempt'],
    ['lease-run.ts'],
    ['worker.ts'],
    ['cli'],
    ['index.ts'],
  ],
  'clients/web/src': [
    ['api', 'requests', 'styles', 'text'],
    ['components'],
    ['frame', 'json', 'markdown', 'patch', 'plots'],
    ['list'],
    ['agents', 'guide', 'skills'],
    ['activity', 'conversations', 'early', 'tasks'],
    ['definitions'],
    ['pages'],
    ['catalogue.tsx', 'console.tsx'],
  ],
  'gateway/src': [
    ['client-address.ts', 'contract.ts', 'readiness.ts', 'routing'],
    ['observability', 'openapi', 'pages', 'rate-limits'],
    ['auth', 'tracing'],
    ['config.ts', 'own-operations.ts', 'response-headers.ts'],
    ['canonical-target.ts', 'cors', 'overload', 'proxy'],
    ['gateway.ts'],
    ['serve-gateway.ts'],
    ['main.ts'],
  ],
};

const TESTS = /\.test\.tsx?$/;

/** The imports of a room's files that do not follow its order, and the folders and files without a place in it. */
export function backwardImports(room: string, files: SourceFile[], order: string[][]): string[] {
  const rankOf = (part: string) => order.findIndex((row) => row.includes(part));
  const partOf = (path: string) => path.slice(room.length + 1).split('/')[0] as string;
  return files
    .filter(({ path }) => path.startsWith(`${room}/`) && !TESTS.test(path))
    .flatMap(({ path, text }) => {
      const from = partOf(path);
      if (rankOf(from) < 0) return [`${path}: ${from} has no place in the order of ${room}`];
      return specifiersOf(text)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => join(dirname(path), specifier))
        .filter((target) => target.startsWith(`${room}/`))
        .filter((target) => partOf(target) !== from && !(rankOf(partOf(target)) < rankOf(from)))
        .map((target) => `${path} imports ${partOf(target)}`);
    });
}
