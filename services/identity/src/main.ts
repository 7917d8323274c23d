import { setPriority } from 'node:os';
import { runService } from '@agent-fleet/shared/process';
import { serveService } from '@agent-fleet/shared/service';
import { readIdentityConfig } from './config.ts';
import { createService } from './service.ts';

/** Password hashing yields to everything else on the machine. The threads that hash inherit it: set it before. */
const NICENESS = 19;

await runService(async () => {
  setPriority(NICENESS);
  const config = readIdentityConfig(process.env);
  return serveService('identity service', config, createService(config));
});
