// Loaded into a service by `node --import`: a request with `x-e2e-fault: <E2E_PROCESS>` throws when its response is
// first created, like a defect. For operations that read no data which a test could corrupt.
import { ServerResponse } from 'node:http';

const FAULT_HEADER = 'x-e2e-fault';
const DESCRIBES_THE_BODY = new Set(['content-type', 'etag', 'content-length']);

const failed = new WeakSet<ServerResponse>();
const { setHeader } = ServerResponse.prototype;

ServerResponse.prototype.setHeader = function setHeaderOrFail(name, value) {
  const meant = this.req.headers[FAULT_HEADER];
  if (meant && meant === process.env.E2E_PROCESS && DESCRIBES_THE_BODY.has(name.toLowerCase()) && !failed.has(this)) {
    failed.add(this);
    throw new Error('A fault injected by a test');
  }
  return setHeader.call(this, name, value);
};
