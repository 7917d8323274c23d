import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '@agent-fleet/scripts/services';
import type { Machine } from './network.ts';
import { Program } from './program.ts';
import type { Setting } from './redis-node.ts';

const FOLDER = join(ROOT, 'deploy/haproxy');
const PORT = 8080;

/** HAProxy with the configuration of docker-compose.yml, but with the addresses of the gateways instead of DNS. */
export function createLoadBalancer(machine: Machine, gateways: readonly Machine[], setting: Setting) {
  const file = '/run/haproxy.cfg';
  writeFileSync(file, toConfig(readFileSync(join(FOLDER, 'haproxy.cfg'), 'utf8'), gateways));
  const output = { logFile: join(setting.logDir, `${machine.name}.log`) };
  const launch = () => machine.start('haproxy', ['-f', file], { output });
  return {
    program: new Program(machine.name, machine, launch, setting.violate),
    url: `http://${machine.address}:${PORT}`,
  };
}

/** @throws if the configuration has other lines than those that are replaced */
export function toConfig(text: string, gateways: readonly Pick<Machine, 'name' | 'address'>[]): string {
  const toServers = (options: string) =>
    gateways.map(({ name, address }) => `  server ${name} ${address}:${PORT}${options}`).join('\n');
  const withServers = text.replaceAll(/^ *server-template gateway \S+ \S+(.*) resolvers .*$/gm, (_, options: string) =>
    toServers(options),
  );
  const replaced = withServers
    .replace(/^resolvers docker\n(?: .*\n)*/m, '')
    .replaceAll('/usr/local/etc/haproxy', FOLDER);
  if (/resolvers|server-template/.test(replaced))
    throw new Error('deploy/haproxy/haproxy.cfg has changed: load-balancer.ts must replace other lines');
  return replaced;
}
