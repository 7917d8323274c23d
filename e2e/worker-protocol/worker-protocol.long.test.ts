import { specifyWorkerProtocol } from './specify-worker-protocol.ts';

await specifyWorkerProtocol({
  leaseSeconds: 5,
  outageSeconds: 6,
  leaseInOutageSeconds: 30,
  blockSeconds: 15,
  timeoutMs: 180_000,
});
