import { styleText } from 'node:util';
import type { Credentials } from './credentials.ts';
import { DEFAULT_DATA_DIR, type Settings, shownPath } from './settings.ts';

const DEFAULT_TYPE = 'claude';

interface BannerFacts {
  settings: Settings;
  credentials: Credentials;
  /** Whether the gateway serves the catalogue and the console. */
  hasPages: boolean;
  /** `AGENT_TYPES`. */
  agentTypes: string | undefined;
}

/** Printed once all is ready; shows the credentials only once. */
export function banner({ settings, credentials, hasPages, agentTypes }: BannerFacts): string {
  const { url, dataDir } = settings;
  return [
    '',
    ...(hasPages ? [`  Console    ${url}/console`, `  Skills     ${url}/`] : []),
    `  API docs   ${url}/docs (also /redoc and /openapi.json)`,
    `  API        ${url}/agents, ${url}/api/skills`,
    '',
    ...credentialLines(credentials),
    '',
    '  Create an agent:',
    `  ${createAgent(settings, credentials, agentTypes)}`,
    '',
    `Logs are in ${shownPath(dataDir)}/logs. Ctrl-C stops everything; the data stay.`,
  ].join('\n');
}

function credentialLines({ file, values, isNew, given }: Credentials): string[] {
  const where = shownPath(file);
  if (!isNew) return [`  User, password and API key: in ${where}`];
  const shown = (name: keyof typeof values) => (given.has(name) ? `as given by ${name}` : values[name]);
  return [
    `  User       ${values.ADMIN_EMAIL}`,
    `  Password   ${shown('ADMIN_PASSWORD')}`,
    `  API key    ${given.has('API_KEYS') ? shown('API_KEYS') : firstKey(values.API_KEYS)}`,
    `  ${styleText('bold', `Shown this once; they are kept in ${where}`)}`,
  ];
}

/** A shell word, which reads a key from the file that has been shown before. */
function apiKeyHeader({ file, values, isNew, given }: Credentials): string {
  if (isNew || given.has('API_KEYS')) return `'X-API-Key: ${firstKey(values.API_KEYS)}'`;
  return `"X-API-Key: $(sed -n 's/^API_KEYS=\\([^:,]*:\\)*\\([^,]*\\).*/\\2/p' '${shownPath(file)}')"`;
}

/** `fleet` finds the credentials in the folder of data that is the default. */
function createAgent({ url, dataDir }: Settings, credentials: Credentials, agentTypes = DEFAULT_TYPE): string {
  const name = 'My first agent';
  const type = agentTypes.split(',')[0]?.trim() || DEFAULT_TYPE;
  if (dataDir === DEFAULT_DATA_DIR && !credentials.given.has('API_KEYS')) {
    return `npx fleet agents create '${name}' --type ${type}`;
  }
  const body = JSON.stringify({ name, type });
  return `curl -X POST ${url}/agents -H ${apiKeyHeader(credentials)} -H 'Content-Type: application/json' -d '${body}'`;
}

/** Keys are written `name:key` or `key`. */
function firstKey(apiKeys: string): string {
  const [first = ''] = apiKeys.split(',');
  return first.slice(first.indexOf(':') + 1);
}
