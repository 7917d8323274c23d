import { startTestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { LocalFleet } from '../harness/local-fleet.ts';

/** The text of the combined OpenAPI document, from a fleet that runs for that only. */
export async function readServedDocument(): Promise<string> {
  const fleet = await LocalFleet.start({ ownRedis: startTestRedis });
  try {
    return await (await fetch(`${fleet.baseUrl}/openapi.json`)).text();
  } finally {
    await fleet.close();
  }
}
