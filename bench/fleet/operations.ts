import type { Figures, LoadGenerator, LoadRequest } from '../load/load.ts';
import { alternate } from '../load/rounds.ts';
import { createAgent, type MeasuredFleet, readAgents } from './fleet.ts';

const SECONDS = 5;
const ROUNDS = 3;

/** How fast are the most used operations through the gateway? */
export async function measureOperations(fleet: MeasuredFleet, generator: LoadGenerator): Promise<Map<string, Figures>> {
  const port = fleet.ports.gateway;
  const compressed = { 'accept-encoding': 'br' };
  const etag = await readEtag(port, compressed);
  const operations: Record<string, LoadRequest[]> = {
    'GET /agents/{id}': readAgents(fleet, fleet.bearer),
    'GET /agents?limit=100': [{ path: '/agents?limit=100', headers: fleet.bearer }],
    'POST /agents': [createAgent(fleet)],
    'GET /api/skills, br': [{ path: '/api/skills', headers: compressed }],
    'GET /api/skills, 304': [{ path: '/api/skills', headers: { ...compressed, 'if-none-match': etag }, status: 304 }],
  };
  const contestants = Object.entries(operations).map(([name, requests]) => {
    return { name, run: () => generator.load({ port, requests, seconds: SECONDS }) };
  });
  return await alternate(contestants, ROUNDS);
}

async function readEtag(port: number, headers: Record<string, string>): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/api/skills`, { headers });
  await response.arrayBuffer();
  const coding = response.headers.get('content-encoding');
  if (coding !== 'br') throw new Error(`GET /api/skills came with Content-Encoding ${coding}`);
  return response.headers.get('etag') ?? '';
}
