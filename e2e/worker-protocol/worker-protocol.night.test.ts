import { specifyWorkerProtocol } from './specify-worker-protocol.ts';

/** With the times that people meet: an outage of a minute, and a lease of 30 s. */
await specifyWorkerProtocol({
  leaseSeconds: 30,
  outageSeconds: 60,
  leaseInOutageSeconds: 120,
  blockSeconds: 90,
  timeoutMs: 420_000,
});
