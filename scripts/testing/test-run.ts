import type { RedisServer } from '../local/redis-server.ts';

/** What the setup of a jest run leaves for its teardown; both run in jest's own process. */
export const testRun: { redis?: { dir: string; server: RedisServer } } = {};
