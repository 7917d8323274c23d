import type { RequestHandler } from 'express';

/** `stopping`: the stop of the process has begun. */
export interface Lifecycle {
  stopping: boolean;
}

/** `GET /health`: 200 while the process is alive. */
export const answerHealth: RequestHandler = (_req, res) => {
  res.status(200).json({ status: 'ok' });
};

/** `GET /ready`: 200, or 503 while stopping or while a dependency is not `ok`. `check` returns the states by name. */
export function answerReady(lifecycle: Lifecycle, check: () => Promise<Record<string, string>>): RequestHandler {
  return async (_req, res) => {
    const checks = await check();
    const ready = !lifecycle.stopping && Object.values(checks).every((state) => state === 'ok');
    const status = lifecycle.stopping ? 'stopping' : ready ? 'ready' : 'not_ready';
    if (!ready) res.setHeader('retry-after', '1');
    res.status(ready ? 200 : 503).json({ status, checks });
  };
}
