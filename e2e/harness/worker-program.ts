import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Child, startChild } from '@agent-fleet/scripts/local/child-process';
import { ROOT } from '@agent-fleet/scripts/services';
import { until } from '@agent-fleet/shared/testing/until';

const PROGRAM = join(ROOT, 'node_modules/.bin/fleet-worker');
const GRACE_SECONDS = 25;
const BEGIN_TIMEOUT_MS = 60_000;

/** Signals the begin of a task, then waits until the test lets it finish. */
const HANDLER = `#!/bin/sh
read -r task
touch "$WORK_DIR/began.$FLEET_TASK_ID"
while [ ! -e "$WORK_DIR/go.$FLEET_TASK_ID" ]; do sleep 0.1; done
echo '{"done":true}'
`;

export interface WorkerTarget {
  baseUrl: string;
  apiKey: string;
}

/** The worker program as users start it, with a handler that finishes a task on command. */
export class WorkerProgram {
  readonly #dir = mkdtempSync(join(tmpdir(), 'fleet-worker-'));
  readonly #process: Child;

  /** `args`: `--agent <id>` or `--type <type>`. */
  constructor({ baseUrl, apiKey }: WorkerTarget, args: readonly string[]) {
    const handler = join(this.#dir, 'handler');
    writeFileSync(handler, HANDLER, { mode: 0o755 });
    this.#process = startChild(PROGRAM, [...args, '--exec', handler], {
      env: { PATH: process.env.PATH, FLEET_URL: baseUrl, FLEET_API_KEY: apiKey, WORK_DIR: this.#dir },
      output: { logFile: join(this.#dir, 'log') },
      graceSeconds: GRACE_SECONDS,
    });
  }

  has(taskId: string): boolean {
    return existsSync(join(this.#dir, `began.${taskId}`));
  }

  async untilBegun(taskId: string): Promise<void> {
    await until(() => this.has(taskId), {
      message: () => `the worker has begun the task; it printed: ${this.#process.printed()}`,
      timeoutMs: BEGIN_TIMEOUT_MS,
    });
  }

  letFinish(taskId: string): void {
    writeFileSync(join(this.#dir, `go.${taskId}`), '');
  }

  async close(): Promise<void> {
    await this.#process.stop();
    rmSync(this.#dir, { recursive: true, force: true });
  }
}
