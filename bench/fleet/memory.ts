import type { LoadGenerator, LoadRequest } from '../load/load.ts';
import type { Stage } from '../stage/stage.ts';
import { createAgent, type MeasuredFleet, readAgents } from './fleet.ts';

const REQUESTS = 200_000;
const SECONDS = 10;

/** How much resident memory does each process hold after at least 200 000 requests to each service? In bytes. */
export async function measureMemory(
  stage: Stage,
  fleet: MeasuredFleet,
  generator: LoadGenerator,
): Promise<Map<string, number>> {
  for (const requests of [agentsMix(fleet), await registryMix(fleet)]) {
    for (let sent = 0; sent < REQUESTS; ) {
      sent += (await generator.load({ port: fleet.ports.gateway, requests, seconds: SECONDS })).requests;
      console.log(`  ${sent} requests`);
    }
  }
  const names = ['gateway', 'agents', 'registry'];
  return new Map(await Promise.all(names.map(async (name) => [name, await stage.residentBytes(name)] as const)));
}

/** Mostly reads; also a page, a creation, a replacement and tasks. */
function agentsMix(fleet: MeasuredFleet): LoadRequest[] {
  const headers = { ...fleet.bearer, 'content-type': 'application/json' };
  const [first, ...others] = readAgents(fleet, headers).slice(0, 15);
  const path = first?.path ?? '';
  return [
    ...others,
    createAgent(fleet),
    { path: '/agents?limit=100&type=claude', headers },
    { method: 'PUT', path, headers, body: '{"name":"Reviewer","type":"gpt"}' },
    { method: 'POST', path: `${path}/tasks`, headers, body: '{"message":"Summarise the release"}', status: 201 },
    { path: `${path}/tasks?limit=20`, headers },
  ];
}

async function registryMix({ ports }: MeasuredFleet): Promise<LoadRequest[]> {
  const response = await fetch(`http://127.0.0.1:${ports.gateway}/api/skills?limit=10`);
  const skills = (await response.json()) as { id: string }[];
  const headers = { 'accept-encoding': 'br' };
  return [
    ...skills.map(({ id }) => ({ path: `/api/skills/${encodeURIComponent(id)}`, headers })),
    { path: '/api/skills', headers },
    { path: '/api/skills', headers: { 'accept-encoding': 'gzip' } },
    { path: '/api/skills' },
    { path: '/api/skills?limit=20&skip=5&sort=updated', headers },
    { path: '/api/skills?q=review', headers },
    { path: '/api/categories', headers },
    { path: '/registry.json', headers },
    { path: '/api/registry/status' },
  ];
}
