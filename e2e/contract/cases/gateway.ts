import { until } from '@agent-fleet/shared/testing/until';
import { anonymously, broken, type ContractCases, KNOWN, type Prepare, plainly, under } from '../contract-case.ts';

const readProtected: Prepare = async ({ freshToken }) => {
  const headers = { authorization: `Bearer ${await freshToken()}` };
  return { method: 'GET', path: '/protected', as: 'nobody', headers };
};
const readHealth = anonymously('GET', '/health');
const readReady = anonymously('GET', '/ready');
/** Identity hashes passwords at a low priority: on a busy machine, it may not respond in time for a moment. */
const readReadyOnceItIs: Prepare = async (world) => {
  const isReady = async () => (await world.api.call('GET', '/ready', { as: 'nobody' })).status === 200;
  await until(isReady, { message: '/ready is 200' });
  return readReady(world);
};

/** 429, and the responses when a user's record is corrupt or unavailable. */
function ofUsers(good: Prepare): ContractCases {
  return {
    429: under('exhausted rate limits', good),
    500: under('corrupt data', good),
    503: under('unavailable store', good),
  };
}

function page(path: string): ContractCases {
  const good = anonymously('GET', path);
  const faults = { 429: under('exhausted rate limits', good), 500: broken('gateway', good) };
  return { ...plainly(good, { 200: good, 304: KNOWN }), ...faults };
}

export const GATEWAY_CASES: Record<string, ContractCases> = {
  'GET /protected': {
    ...ofUsers(readProtected),
    ...plainly(readProtected, {
      200: readProtected,
      401: anonymously('GET', '/protected'),
      403: { headers: { 'x-api-key': 'wrong' } },
    }),
  },
  'GET /.well-known/jwks.json': page('/.well-known/jwks.json'),
  'GET /health': { ...plainly(readHealth, { 200: readHealth }), 500: broken('gateway', readHealth) },
  'GET /ready': {
    ...plainly(readReady, { 200: readReadyOnceItIs }),
    500: broken('gateway', readReady),
    503: under('unavailable store', readReady),
  },
  'GET /openapi.json': {
    ...page('/openapi.json'),
    503: under('new gateway without agents', anonymously('GET', '/openapi.json')),
  },
  'GET /download/{file}': {
    ...page('/download/fleet.tgz'),
    ...plainly(anonymously('GET', '/download/fleet-none.tgz'), { 404: {} }),
  },
  'GET /docs': page('/docs'),
  'GET /redoc': page('/redoc'),
};
