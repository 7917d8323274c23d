import { randomBytes } from 'node:crypto';
import { freePort } from '@agent-fleet/scripts/local/ports';
import type { OverlayRun } from './production.ts';
import { clusterServers, killPrimary } from './redis-failover.ts';
import { Stack } from './stack.ts';

/** Checks compose.cluster.yml, in a project of its own. Removes what it starts. */
export async function checkCluster({ scorecard, project, folder, tag, signal }: OverlayRun): Promise<void> {
  const port = await freePort();
  const apiKey = randomBytes(24).toString('hex');
  const variables = {
    COMPOSE_FILE: 'docker-compose.yml:deploy/compose.cluster.yml',
    PORT: port,
    TAG: tag,
    API_KEYS: `e2e:${apiKey}`,
    RATE_LIMIT_PER_MINUTE: 0,
  };
  const stack = await Stack.create({ project: `${project}-cluster`, folder, variables, signal });
  const comeUp = async () => {
    await stack.up();
    await stack.waitHealthy('load-balancer', 1);
  };
  const killAgents = () => killPrimary(stack, clusterServers(stack), { baseUrl: `http://127.0.0.1:${port}`, apiKey });
  try {
    const passed =
      (await scorecard.check('seven servers form a cluster of Redis', comeUp)) &&
      (await scorecard.check('the primary of the agents is killed', killAgents));
    if (!passed) console.log(await stack.logs());
  } finally {
    await scorecard.check('the cluster is removed again', () => stack.remove());
  }
}
