import { existsSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { WorkerProgram } from '../harness/worker-program.ts';
import { createTask, markDocument, openTaskId, shown, untilLive } from './support/actions.ts';
import { describePages, type Site, untilReady } from './support/site.ts';

/** The Compose run kills gateways until this file exists. */
const LIVE_UNTIL = process.env.E2E_LIVE_UNTIL;
/** What an outage of a gateway looks like in a page. */
const OUTAGE = [/failed request/, /console error: Failed to load resource/];

await describePages('The console', specify, {
  // One for events and one for the log of a task: more would be refused, which is a console error.
  fleet: () => ({ env: { agents: { MAX_STREAMS_PER_PRINCIPAL: '2' } } }),
});

function specify(site: Site): void {
  test(
    'shows without a reload how a worker completes the tasks that are created in it',
    async () => {
      const agent = await site.api.createAgent({ name: 'Watched in a page' });
      // A gateway that is killed may take the response to a poll with it: the task waits for the end of its lease.
      const worker = new WorkerProgram(site.api, ['--agent', agent.id, '--lease-seconds', '15']);
      try {
        const page = await site.visit(`/console/agents/${agent.id}`, {
          as: 'admin',
          allow: LIVE_UNTIL ? OUTAGE : [],
        });
        await untilLive(page);
        const isSameDocument = await markDocument(page);
        for (let count = 1; count === 1 || (LIVE_UNTIL && !existsSync(LIVE_UNTIL)); count++) {
          await createTask(page, `Task number ${count}`);
          const id = openTaskId(page);
          await worker.untilBegun(id);
          await shown(page, 'Running').waitFor();
          worker.letFinish(id);
          await shown(page, 'Completed').waitFor({ timeout: 60_000 });
          expect(await isSameDocument()).toBe(true);
          await page.goBack();
          await untilReady(page);
        }
      } finally {
        await worker.close();
      }
    },
    LIVE_UNTIL ? 210_000 : 120_000,
  );
}
