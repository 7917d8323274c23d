import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parseAllDocuments } from 'yaml';
import { readRendered } from './chart.ts';

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels: Record<string, string> };
  // Of all kinds.
  // biome-ignore lint/suspicious/noExplicitAny: the schemas describe it
  spec: any;
}

export function readManifests(example: string): Manifest[] {
  return parseAllDocuments(readRendered(example).manifests).map((document) => document.toJS({ maxAliasCount: 0 }));
}

const duration = { type: 'string', pattern: String.raw`^\d+(ms|s|m)$` };
const labels = { type: 'object', additionalProperties: { type: 'string' } };
const selector = closed({ matchLabels: labels });
const endpoints = {
  type: 'array',
  items: closed({ port: { type: 'string' }, interval: duration, scrapeTimeout: duration }),
};
/** Only the fields that the chart sets; checked by hand against the schema of the Prometheus operator. */
const SERVICE_MONITOR = closed({
  apiVersion: { const: 'monitoring.coreos.com/v1' },
  kind: { const: 'ServiceMonitor' },
  metadata: { $ref: 'kubernetes#/$defs/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
  spec: closed({ selector, jobLabel: { type: 'string' }, endpoints }),
});

function closed(properties: Record<string, object>) {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** A function that lists how a manifest differs from the schema of its API. */
export function createValidator(): (manifest: Manifest) => string[] {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(JSON.parse(readFileSync(join(import.meta.dirname, 'schemas.json'), 'utf8')), 'kubernetes');
  ajv.addSchema(SERVICE_MONITOR, 'ServiceMonitor');
  return (manifest) => {
    const validate = ajv.getSchema(schemaOf(manifest));
    if (!validate) return [`no schema of ${manifest.apiVersion} ${manifest.kind}`];
    if (validate(manifest)) return [];
    const name = `${manifest.kind} ${manifest.metadata.name}`;
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${name} ${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };
}

/** `apps/v1` is `io.k8s.api.apps.v1`, `networking.k8s.io/v1` is `io.k8s.api.networking.v1`, `v1` is that of `core`. */
function schemaOf({ apiVersion, kind }: Manifest): string {
  if (kind === 'ServiceMonitor') return kind;
  const [version = '', group = 'core'] = apiVersion.split('/').reverse();
  const isExtension = group.startsWith('gateway.');
  const name = `${isExtension ? '' : 'io.k8s.api.'}${group.replace('.k8s.io', '')}.${version}.${kind}`;
  return `kubernetes#/$defs/${name}`;
}
