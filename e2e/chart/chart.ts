import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { ROOT } from '@agent-fleet/scripts/services';
import { readCommand, runCommand } from '@agent-fleet/scripts/testing/command';
import { parseAllDocuments, stringify } from 'yaml';

const HELM = join(ROOT, 'deploy/helm');
export const CHART = join(HELM, 'agent-fleet');
/** The sets of values that are rendered: the files in deploy/helm/examples, without `.yaml`. */
export const EXAMPLES = globSync('*.yaml', { cwd: join(HELM, 'examples') }).map((file) => basename(file, '.yaml'));
const KUBERNETES = '1.37';
const UNKNOWN_KIND = /^WARN .* Couldn't find schema for kind (HTTPRoute|ServiceMonitor) /;

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels: Record<string, string> };
  // Of all kinds.
  // biome-ignore lint/suspicious/noExplicitAny: the schemas describe it
  spec: any;
}

export function readExample(example: string): string {
  return readFileSync(examplePath(example), 'utf8');
}

/** The manifests of an example. `python` is one with the packages for `chart`. */
export async function render(python: string, example: string): Promise<Manifest[]> {
  const options = ['--namespace', 'agents', '--values', examplePath(example)];
  const text = await readCommand(join(python, '../helm'), ['template', 'fleet', CHART, ...options]);
  return parseAllDocuments(text).map((document) => document.toJS({ maxAliasCount: 0 }));
}

/** What the schemas of Kubernetes say against the manifests, a line each. Fields that they do not name are refused. */
export async function validate(python: string, manifests: readonly Manifest[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'manifests-'));
  try {
    const file = join(folder, 'manifests.yaml');
    writeFileSync(file, manifests.map((manifest) => `---\n${stringify(manifest)}`).join(''));
    const options = ['--kubernetes-version', KUBERNETES, '--strict', '--quiet', file];
    const { stdout, stderr } = await runCommand(python, ['-m', 'kubernetes_validate', ...options]);
    return `${stdout}${stderr}`.split('\n').filter((line) => line !== '' && !UNKNOWN_KIND.test(line));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function examplePath(example: string): string {
  return join(HELM, 'examples', `${example}.yaml`);
}
