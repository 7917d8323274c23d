import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { findOnPath } from '../local/system-packages.mjs';
import { ROOT } from '../services.ts';
import { readCommand } from '../testing/command.ts';

const HELM = join(ROOT, 'deploy/helm');
export const CHART = join(HELM, 'agent-fleet');
/** Files of the chart that are copies, each with its original: Helm reads nothing outside the chart. */
export const COPIES = [
  [join(CHART, 'files/mend-append-only-file.sh'), join(ROOT, 'deploy/redis/mend-append-only-file.sh')],
] as const;
/** The sets of values that are rendered: the files in deploy/helm/examples, without `.yaml`. */
export const EXAMPLES = globSync('*.yaml', { cwd: join(HELM, 'examples') }).map((file) => basename(file, '.yaml'));
const RELEASE = 'fleet';

/** What `render` wrote for an example: a line with the digest of its sources, and the manifests. */
export function readRendered(example: string): { digest: string; manifests: string } {
  const text = readFileSync(renderedPath(example), 'utf8');
  const [, digest = '', manifests = ''] = /^# Sources: (\w+)\n(.*)$/s.exec(text) ?? [];
  return { digest, manifests };
}

export function renderedPath(example: string): string {
  return join(HELM, 'rendered', `${example}.yaml`);
}

/** The file with the values of an example. */
export function examplePath(example: string): string {
  return join(HELM, 'examples', `${example}.yaml`);
}

/** The digest of all files that the manifests of an example come from. */
export function digestOf(example: string): string {
  const files = globSync('{Chart.yaml,values.yaml,files/*,templates/*}', { cwd: CHART }).sort();
  const hash = createHash('sha256');
  for (const path of [...files.map((file) => join(CHART, file)), examplePath(example)]) {
    hash.update(`${path.slice(ROOT.length)}\n`).update(readFileSync(path));
  }
  return hash.digest('hex');
}

/** Helm's program: `HELM`, or `helm` on PATH; undefined without one. */
export const findHelm = (): string | undefined => process.env.HELM || findOnPath(['helm']);

/**
 * The manifests of an example, the same by Helm 3 and 4, which end them with different numbers of blank lines, and with
 * the same text in place of all generated secrets.
 */
export async function render(helm: string, example: string): Promise<string> {
  const options = ['--namespace', 'agents', '--values', examplePath(example)];
  const manifests = await readCommand(helm, ['template', RELEASE, CHART, ...options]);
  const secrets = /^kind: Secret\n.*?^data:\n(?: {2}.*\n)+/gms;
  return manifests
    .replace(/\n+(?=---\n|$)/g, '\n')
    .replace(secrets, (secret) => secret.replace(/^( {2}[A-Z_]+: ).*$/gm, '$1Z2VuZXJhdGVk'));
}
