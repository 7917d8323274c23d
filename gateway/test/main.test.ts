import { expect, test } from '@jest/globals';
import { GatewayProcess, startGatewayProcess } from './support/gateway-process.ts';
import { startRawUpstreamServer } from './support/proxy.ts';

test('does not start when a variable is invalid, and says why in one line', async () => {
  const gateway = new GatewayProcess({ PORT: 'none' });
  await expect(gateway.ended()).resolves.toBe(1);
  expect(gateway.errors).toMatch(/^PORT: must be a whole number .*\n$/);
});

test('does not start on a port that is in use', async () => {
  const { port } = await startRawUpstreamServer(() => {});
  const gateway = new GatewayProcess({ PORT: String(port) });
  await expect(gateway.ended()).resolves.toBe(1);
  expect(gateway.errors).toMatch(/^\S+ EADDRINUSE\b.*\n$/);
});

test('completes requests in flight after SIGTERM, and logs them before it exits', async () => {
  const held: (() => void)[] = [];
  const agents = await startRawUpstreamServer((req, res) => {
    if (req.url === '/agents') held.push(() => void res.end('{}'));
    else res.writeHead(req.url === '/ready' ? 200 : 404).end();
  });
  const gateway = await startGatewayProcess({ AGENTS_URL: agents.url });
  const responses = Promise.all(Array.from({ length: 4 }, () => gateway.get('/agents')));
  await gateway.until(() => held.length === 4);
  gateway.signal('SIGTERM');
  await gateway.until(() =>
    fetch(`${gateway.url}/health`).then(
      () => false,
      () => true,
    ),
  );
  for (const end of held) end();
  await expect(responses).resolves.toEqual([200, 200, 200, 200]);
  await expect(gateway.ended()).resolves.toBe(0);
  const log = gateway.log();
  expect(
    log.filter(({ msg, status, upstream }) => msg === 'request' && status === 200 && upstream === 'agents'),
  ).toHaveLength(4);
  expect(log.at(-1)).toMatchObject({ msg: 'gateway stopped' });
  expect(gateway.errors).toBe('');
});
