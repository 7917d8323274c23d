import type { RequestHandler } from 'express';

/**
 * Whether a process takes requests: `stopping` once it has been told to stop, `leaving` once others have taken its
 * place.
 */
export interface Lifecycle {
  stopping: boolean;
  leaving?: boolean;
}

/** `GET /health`: 200 as long as the process lives. */
export const answerHealth: RequestHandler = (_req, res) => {
  res.status(200).json({ status: 'ok' });
};

/**
 * `GET /ready`: 200, or 503 while stopping or while `check` (state by name of dependency) finds one that is not `ok`.
 */
export function answerReady(lifecycle: Lifecycle, check: () => Promise<Record<string, string>>): RequestHandler {
  return async (_req, res) => {
    const checks = await check();
    const ready = !lifecycle.stopping && Object.values(checks).every((state) => state === 'ok');
    const status = lifecycle.stopping ? 'stopping' : ready ? 'ready' : 'not_ready';
    if (!ready) res.setHeader('retry-after', '1');
    res.status(ready ? 200 : 503).json({ status, checks });
  };
}
