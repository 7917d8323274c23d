// Writes schemas.json: those of the APIs that the chart uses, without descriptions. Once per version of Kubernetes:
//   node scripts/helm/trim-schemas.ts <_definitions.json> <HTTPRoute's CustomResourceDefinition>
// The first file is in the PyPI package kubernetes-validate, in `kubernetes-json-schema/v…-local-strict`, the second in
// the Go module sigs.k8s.io/gateway-api, in `config/crd/standard`. Both have the Apache-2.0 license.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const KINDS = [
  ...['apps.v1.Deployment', 'apps.v1.StatefulSet', 'autoscaling.v2.HorizontalPodAutoscaler'],
  ...['core.v1.ConfigMap', 'core.v1.Secret', 'core.v1.Service', 'core.v1.ServiceAccount'],
  ...['networking.v1.Ingress', 'networking.v1.NetworkPolicy', 'policy.v1.PodDisruptionBudget'],
].map((kind) => `io.k8s.api.${kind}`);
const METADATA = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

type Schema = { [name: string]: unknown };

const [definitionsFile = '', routeFile = ''] = process.argv.slice(2);
const { $defs: all } = JSON.parse(readFileSync(definitionsFile, 'utf8')) as { $defs: Record<string, Schema> };
const used = new Map<string, unknown>();
for (const kind of KINDS) use(kind);
const crd = parse(readFileSync(routeFile, 'utf8'));
const { openAPIV3Schema } = crd.spec.versions.find(({ name }: { name: string }) => name === 'v1').schema;
const { status, ...properties } = openAPIV3Schema.properties;
const route = trim({ ...openAPIV3Schema, properties: { ...properties, metadata: { $ref: `#/$defs/${METADATA}` } } });
used.set('gateway.networking.v1.HTTPRoute', route);
// A definition a line.
const lines = [...used].sort().map(([name, schema]) => `${JSON.stringify(name)}:${JSON.stringify(schema)}`);
writeFileSync(join(import.meta.dirname, 'schemas.json'), `{"$defs":{\n${lines.join(',\n')}\n}}\n`);

/** Adds a definition and all that it refers to. */
function use(name: string): void {
  if (used.has(name)) return;
  const schema = trim(all[name]);
  used.set(name, schema);
  for (const [, reference = ''] of JSON.stringify(schema).matchAll(/"#\/\$defs\/([^"]+)"/g)) use(reference);
}

/** Without descriptions, and without fields that the schema does not name. */
function trim(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(trim);
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(
    ([key, value]) => !key.startsWith('x-kubernetes') && !(key === 'description' && typeof value === 'string'),
  );
  const isClosed = 'properties' in schema && 'type' in schema && !('additionalProperties' in schema);
  const trimmed = Object.fromEntries(kept.map(([key, value]) => [key, trim(value)]));
  return isClosed ? { ...trimmed, additionalProperties: false } : trimmed;
}
