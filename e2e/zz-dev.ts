import { startTestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { LocalFleet } from './harness/local-fleet.ts';

const fleet = await LocalFleet.start({ ownRedis: startTestRedis });
console.log(
  fleet.baseUrl,
  fleet.redisUrl,
  fleet.redisPrefix,
  JSON.stringify(Object.fromEntries(Object.entries(fleet.services).map(([n, s]) => [n, s.url]))),
);
setTimeout(() => void fleet.close().then(() => process.exit(0)), Number(process.argv[2] ?? 600) * 1000);
