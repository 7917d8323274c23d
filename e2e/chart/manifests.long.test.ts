import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ecKey, toPem } from '@agent-fleet/access/testing/forge';
import type { Child } from '@agent-fleet/scripts/local/child-process';
import { freePorts } from '@agent-fleet/scripts/local/ports';
import { ROOT, SERVICES, type ServiceName, startService } from '@agent-fleet/scripts/services';
import { until } from '@agent-fleet/shared/testing/until';
import { afterEach, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { preparePython } from '../harness/python.ts';
import { EXAMPLES, type Kind, type Manifest, render, validate } from './chart.ts';

type Workload = Manifest<'Deployment' | 'StatefulSet'>;

/** After step 2 of the walk from a secret to a PEM key, in README.md of the chart. */
const SECRETS: NodeJS.ProcessEnv = {
  API_KEYS: 'ci:d5be79f0c1a2437e86b3',
  INTERNAL_TOKEN: 'a3f19c57d80e42b6',
  JWT_PRIVATE_KEY: toPem(ecKey()),
  JWT_VERIFICATION_SECRET: '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
};
/** For Node, the C library and redis_exporter. */
const NOT_OURS = [
  'NODE_EXTRA_CA_CERTS',
  'MALLOC_MMAP_THRESHOLD_',
  'MALLOC_TRIM_THRESHOLD_',
  'REDIS_ADDR',
  'REDIS_PASSWORD',
];
const running: Child[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((child) => child.kill()));
});

const python = await preparePython('chart');
const rendered = new Map<string, Manifest[]>();
if ('path' in python) for (const example of EXAMPLES) rendered.set(example, await render(python.path, example));
const manifestsOf = (example: string): Manifest[] => structuredClone(rendered.get(example) ?? []);
const ofKind = <K extends Kind>(example: string, kind: K) =>
  manifestsOf(example).filter((manifest) => manifest.kind === kind) as Manifest<K>[];
const componentOf = ({ metadata }: Manifest) => metadata.labels['app.kubernetes.io/component'] ?? '';
const podsOf = (example: string): Workload[] => [...ofKind(example, 'Deployment'), ...ofKind(example, 'StatefulSet')];
const containerOf = ({ spec }: Workload) => spec.template.spec.containers[0];

function deploymentOf(example: string, name: string): Manifest<'Deployment'> {
  return ofKind(example, 'Deployment').find((one) => componentOf(one) === name) as Manifest<'Deployment'>;
}

function selects(selector: Record<string, string>, { spec }: Workload): boolean {
  return Object.entries(selector).every(([name, value]) => spec.template.metadata.labels[name] === value);
}

if ('missing' in python) {
  test.skip(`the manifests of the chart: ${python.missing}`, () => {});
} else {
  describe('the chart', () => {
    test.each(EXAMPLES)('every pod of the example %s fulfils the restricted Pod Security Standard', (example) => {
      for (const { spec } of podsOf(example)) {
        const pod = spec.template.spec;
        expect(pod.automountServiceAccountToken).toBe(false);
        expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
        for (const { securityContext, resources } of pod.containers) {
          expect(securityContext).toEqual({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
          expect(resources).toMatchObject({
            requests: { cpu: expect.any(String) },
            limits: { memory: expect.any(String) },
          });
        }
      }
    });

    test.each(SERVICES)('$name is replaced without a moment in which a pod is missing', ({ name, port }) => {
      const { spec } = deploymentOf('trial', name);
      expect(spec.strategy.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 });
      expect(spec.template.spec.terminationGracePeriodSeconds).toBe(45);
      const container = containerOf(deploymentOf('trial', name));
      expect(container.lifecycle.preStop).toEqual({ sleep: { seconds: 10 } });
      expect(container.livenessProbe.httpGet.path).toBe('/health');
      expect(container.readinessProbe.httpGet.path).toBe('/ready');
      expect(container.ports[0]).toEqual({ name: 'http', containerPort: port });
      const budget = ofKind('trial', 'PodDisruptionBudget').find((one) => componentOf(one) === name);
      expect(budget?.spec.maxUnavailable).toBe(1);
    });

    test('the gateway reaches every address of each service, and only there', () => {
      const services = ofKind('production', 'Service');
      const { env } = containerOf(deploymentOf('production', 'gateway'));
      const urls = env.filter(({ name }) => /_URL$/.test(name));
      for (const { name, port } of SERVICES.filter((one) => one.name !== 'gateway')) {
        const service = services.find((one) => componentOf(one) === name) as Manifest<'Service'>;
        expect(service.spec).toMatchObject({ clusterIP: 'None', publishNotReadyAddresses: true });
        const variable = { name: `${name.toUpperCase()}_URL`, value: `http://${service.metadata.name}:${port}` };
        expect(urls).toContainEqual(variable);
        const policy = ofKind('production', 'NetworkPolicy').find((one) => componentOf(one) === name);
        const [{ from, ports }] = (policy as Manifest<'NetworkPolicy'>).spec.ingress;
        expect(ports).toEqual([{ port: 'http' }]);
        expect(from).toHaveLength(name === 'registry' ? 2 : 1);
        expect(selects(from[0].podSelector.matchLabels, deploymentOf('production', 'gateway'))).toBe(true);
        const isOpen = from.some(({ podSelector }) =>
          selects(podSelector.matchLabels, deploymentOf('production', 'agents')),
        );
        expect(isOpen).toBe(name === 'registry');
      }
    });

    test.each(EXAMPLES)('the selectors of the example %s select pods, and the ports that they have', (example) => {
      const pods = podsOf(example);
      for (const { metadata, spec } of ofKind(example, 'Service')) {
        const selected = pods.filter((pod) => selects(spec.selector, pod));
        expect([metadata.name, selected.length]).toEqual([metadata.name, 1]);
        const names = containerOf(selected[0] as Workload).ports.map(({ name }) => name);
        expect(names).toEqual(expect.arrayContaining(spec.ports.map(({ targetPort }) => targetPort)));
      }
      for (const kind of ['Deployment', 'StatefulSet', 'PodDisruptionBudget'] as const)
        for (const { spec } of ofKind(example, kind))
          expect(pods.filter((pod) => selects(spec.selector.matchLabels, pod))).toHaveLength(1);
      for (const { spec } of ofKind(example, 'NetworkPolicy')) {
        const selected = pods.filter((pod) => selects(spec.podSelector.matchLabels, pod));
        expect(new Set(selected.map(componentOf)).size).toBe(1);
      }
    });

    test('the gateway scales by its processor and by gateway_requests_waiting', () => {
      const [scaler] = ofKind('production', 'HorizontalPodAutoscaler').filter((one) => componentOf(one) === 'gateway');
      expect(scaler?.spec.metrics.map(({ resource, pods }) => resource?.name ?? pods?.metric.name)).toEqual([
        'cpu',
        'gateway_requests_waiting',
      ]);
      expect(deploymentOf('production', 'gateway').spec.replicas).toBeUndefined();
    });

    test.each(EXAMPLES)('docs/configuration.md lists every variable of the example %s', (example) => {
      const page = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8');
      const names = ofKind(example, 'Deployment').flatMap((one) => containerOf(one).env.map(({ name }) => name));
      const unknown = new Set(names.filter((name) => !NOT_OURS.includes(name) && !page.includes(`\`${name}\``)));
      expect([...unknown]).toEqual([]);
    });

    test.each(SERVICES)('$name takes every secret from a Secret that it takes from a file in Compose', ({ name }) => {
      const compose = readFileSync(join(ROOT, 'deploy/compose.production.yml'), 'utf8');
      const variables = Object.keys(parse(compose, { merge: true }).services[name].environment);
      const secrets = variables.flatMap((variable) => /^(.+)_FILE$/.exec(variable)?.[1] ?? []);
      expect(secrets).toContain('INTERNAL_TOKEN');
      const { env } = containerOf(deploymentOf('production', name));
      const given = env.filter(({ valueFrom }) => valueFrom?.secretKeyRef);
      expect(given.map((variable) => variable.name)).toEqual(expect.arrayContaining(secrets));
    });

    test('every service starts with its variables, and is alive without Redis', async () => {
      const names = SERVICES.map(({ name }) => name);
      const ports = await freePorts([...names, 'redis']);
      await Promise.all(
        names.map(async (name) => {
          const env = environmentOf(name, { ...SECRETS, REDIS_URL: `redis://127.0.0.1:${ports.redis}` });
          const local = { PORT: String(ports[name]), METRICS_PORT: '0', NODE_ENV: 'production' };
          running.push(startService(name, { env: { ...process.env, ...env, ...local } }));
          const health = async () => (await fetch(`http://127.0.0.1:${ports[name]}/health`)).status;
          expect(await until(health, { message: name, holds: (status) => status === 200 })).toBe(200);
        }),
      );
    });

    test('the manifests conform to the schemas of Kubernetes', async () => {
      expect(await validate(python.path, EXAMPLES.flatMap(manifestsOf))).toEqual([]);
    });

    test('a manifest with an unknown field or a wrong type does not conform', async () => {
      const wrongs = ['trial', 'production'].map((example) => deploymentOf(example, 'gateway'));
      const [trial, production] = wrongs.map(containerOf);
      Object.assign(trial?.livenessProbe.httpGet ?? {}, { paths: '/health' });
      Object.assign(production?.ports[0] ?? {}, { containerPort: 'http' });
      expect(await validate(python.path, wrongs)).toHaveLength(2);
    });

    test('the examples have every kind of manifest', () => {
      const kinds = new Set(EXAMPLES.flatMap(manifestsOf).map(({ kind }) => kind));
      expect([...kinds].sort()).toEqual([
        ...['ConfigMap', 'Deployment', 'HTTPRoute', 'HorizontalPodAutoscaler', 'Ingress', 'NetworkPolicy'],
        ...['PodDisruptionBudget', 'Secret', 'Service', 'ServiceAccount', 'ServiceMonitor', 'StatefulSet'],
      ]);
    });

    // Kubernetes does not have them itself: compared by hand with the Gateway API and the Prometheus operator.
    test('the route and the monitor have the fields that their definitions name', () => {
      const gateway = ofKind('gateway-api', 'Service').find((one) => componentOf(one) === 'gateway');
      const [route] = ofKind('gateway-api', 'HTTPRoute');
      expect(route?.spec).toEqual({
        parentRefs: [{ name: 'public', namespace: 'gateways', sectionName: 'https' }],
        hostnames: ['fleet.example.com'],
        rules: [
          {
            matches: [{ path: { type: 'PathPrefix', value: '/' } }],
            timeouts: { request: '0s' },
            backendRefs: [{ name: gateway?.metadata.name, port: gateway?.spec.ports[0].port }],
          },
        ],
      });
      const [monitor] = EXAMPLES.flatMap((example) => ofKind(example, 'ServiceMonitor'));
      expect(monitor?.spec).toEqual({
        selector: {
          matchLabels: { 'app.kubernetes.io/name': 'agent-fleet', 'app.kubernetes.io/instance': 'fleet' },
        },
        jobLabel: 'app.kubernetes.io/component',
        endpoints: [{ port: 'metrics', interval: '15s', scrapeTimeout: '5s' }],
      });
    });
  });
}

/** The variables of a container as Kubernetes sets them. */
function environmentOf(name: ServiceName, secrets: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const variables = containerOf(deploymentOf('production', name)).env;
  return Object.fromEntries(
    variables.map((variable) => [variable.name, variable.value ?? secrets[variable.valueFrom?.secretKeyRef.key ?? '']]),
  );
}
