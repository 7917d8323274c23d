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

type Labels = Record<string, string>;

interface Selector {
  matchLabels: Labels;
}

interface Variable {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef: { key: string; optional?: boolean } };
}

interface Probe {
  httpGet: { path: string };
}

interface Container {
  env: Variable[];
  lifecycle: { preStop: object };
  livenessProbe: Probe;
  readinessProbe: Probe;
  ports: { name: string; containerPort: number }[];
  resources: object;
  securityContext: object;
}

interface Pod {
  automountServiceAccountToken: boolean;
  containers: [Container, ...Container[]];
  securityContext: object;
  terminationGracePeriodSeconds: number;
}

interface Workload {
  replicas?: number;
  selector: Selector;
  strategy: { rollingUpdate: object };
  template: { metadata: { labels: Labels }; spec: Pod };
}

/** What the tests read of the specifications; that these are valid, `validate` says. */
interface Specs {
  Deployment: Workload;
  StatefulSet: Workload;
  Service: { selector: Labels; ports: [{ port: number; targetPort: string }] };
  NetworkPolicy: { podSelector: Selector; ingress: [{ from: [{ podSelector: Selector }]; ports: object[] }] };
  PodDisruptionBudget: { maxUnavailable: number; selector: Selector };
  HorizontalPodAutoscaler: { metrics: { resource?: { name: string }; pods?: { metric: { name: string } } }[] };
  HTTPRoute: object;
  ServiceMonitor: object;
}

export type Kind = keyof Specs;

export interface Manifest<K extends Kind = Kind> {
  apiVersion: string;
  kind: K;
  metadata: { name: string; labels: Labels };
  spec: Specs[K];
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
