import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { own } from '../testing/own.ts';
import { LaunchError } from './launch-error.ts';
import { claimDataDir } from './redis-data-dir.ts';
import { pingRedis } from './redis-ping.ts';
import { findRedis, type RedisServer, startRedis } from './redis-server.ts';

const command = findRedis(() => {});

function newDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'fleet server-'));
  own(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

async function start(dir: string, port?: number): Promise<RedisServer> {
  const server = await startRedis(command, port === undefined ? { dir } : { dir, port });
  own(() => server.stop());
  return server;
}

async function withClient<T>(url: string, use: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url);
  try {
    return await use(client);
  } finally {
    client.disconnect();
  }
}

test('a private Redis is durable, evicts nothing, listens only on 127.0.0.1 and requires its password', async () => {
  const dir = newDir();
  const server = await start(dir);
  const config = await withClient(server.url, async (client) =>
    Object.fromEntries(
      await Promise.all(
        ['appendonly', 'appendfsync', 'maxmemory-policy', 'bind', 'save'].map(
          async (name) => (await client.config('GET', name)) as [string, string],
        ),
      ),
    ),
  );
  expect(config).toEqual({
    appendonly: 'yes',
    appendfsync: 'everysec',
    'maxmemory-policy': 'noeviction',
    bind: '127.0.0.1',
    save: '',
  });
  await expect(pingRedis(server.port, 'wrong')).resolves.toBe('none');
  expect(statSync(join(dir, 'redis.conf')).mode & 0o777).toBe(0o600);
});

test('zeros in the append-only file, which a full disk leaves, are removed at the start', async () => {
  const dir = newDir();
  const first = await start(dir);
  await withClient(first.url, (client) => client.set('before', 'kept'));
  await first.stop();
  const file = join(dir, 'appendonlydir/appendonly.aof.1.incr.aof');
  const zeros = Buffer.alloc(2_000);
  const set = (key: string) => `*3\r\n$3\r\nSET\r\n$${key.length}\r\n${key}\r\n$4\r\nkept\r\n`;
  for (const part of [zeros, set('behind'), set('next'), zeros, set('last'), zeros]) appendFileSync(file, part);
  const second = await start(dir);
  await withClient(second.url, async (client) => {
    expect(await client.mget('before', 'behind', 'next', 'last')).toEqual(Array(4).fill('kept'));
    await client.set('more', 'kept');
  });
  await second.stop();
  const third = await start(dir);
  await withClient(third.url, async (client) => expect(await client.mget('last', 'more')).toEqual(['kept', 'kept']));
});

test('half of a script that a kill left in the append-only file never runs', async () => {
  const rpush = "redis.call('RPUSH', 'list', ARGV[1]) redis.call('SET', 'last', ARGV[1])";
  const dir = newDir();
  const file = join(dir, 'appendonlydir/appendonly.aof.1.incr.aof');
  const first = await start(dir);
  const whole = await withClient(first.url, async (client) => {
    await client.config('SET', 'appendfsync', 'always');
    await client.eval(rpush, 0, 'whole');
    const { size } = statSync(file);
    await client.eval(rpush, 0, 'half');
    return size;
  });
  await first.kill();
  const written = readFileSync(file);
  for (let size = written.length - 1; size > whole; size -= 20) {
    writeFileSync(file, written.subarray(0, size));
    const second = await start(dir);
    expect(statSync(file).size).toBe(whole);
    await withClient(second.url, async (client) => {
      await client.config('SET', 'appendfsync', 'always');
      await client.eval(rpush, 0, 'next');
    });
    await second.kill();
    const third = await start(dir);
    expect(await withClient(third.url, (client) => client.lrange('list', 0, -1))).toEqual(['whole', 'next']);
    await third.kill();
  }
});

test('an append-only file that is damaged in the middle is one clear error, and stays as it is', async () => {
  const dir = newDir();
  const file = join(dir, 'appendonlydir/appendonly.aof.1.incr.aof');
  const first = await start(dir);
  await withClient(first.url, (client) => client.set('kept', 'yes'));
  await first.stop();
  const damaged = readFileSync(file);
  damaged.write('x', damaged.indexOf('*3'));
  writeFileSync(file, damaged);
  await expect(start(dir)).rejects.toThrow(/^Redis did not start \(exit code 1\): .*Bad file format.*its log: /);
  expect(readFileSync(file)).toEqual(damaged);
});

test('names the alternatives in one line if there is neither a server nor a package manager', () => {
  const path = process.env.PATH;
  process.env.PATH = newDir();
  try {
    expect(() => findRedis(() => {})).toThrow(
      /^No Redis was found\. Three ways out: set REDIS_URL=.*; install one .*; or put .* on PATH\.$/,
    );
  } finally {
    process.env.PATH = path;
  }
});

test('a second Redis on the same data is refused, also when both start at the same time', async () => {
  const dir = newDir();
  const results = await Promise.allSettled([start(dir), start(dir)]);
  expect(results.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected']);
  const refused = results.find((result) => result.status === 'rejected');
  expect(refused?.reason).toBeInstanceOf(LaunchError);
  expect(refused?.reason.message).toMatch(/^A Redis already runs on the data in .* DATA_DIR to another folder$/);
});

test('a second Redis is refused, too, while the first one refuses PING', async () => {
  const dir = newDir();
  const { url, port } = await start(dir);
  const { password } = new URL(url);
  await withClient(url, async (client) => {
    await client.config('SET', 'busy-reply-threshold', '1');
    const stuck = client.eval('while true do end', 0).catch(() => {});
    await until(async () => (await pingRedis(port, password)) === 'busy');
    await expect(start(dir)).rejects.toThrow(/^A Redis already runs/);
    const other = new Redis(url, { enableReadyCheck: false });
    await other.script('KILL').finally(() => other.disconnect());
    await stuck;
  });
});

test('ignores a stale claim of a crashed process', async () => {
  const dir = newDir();
  const claim = join(dir, 'starting');
  writeFileSync(claim, '');
  utimesSync(claim, new Date(0), new Date(0));
  await start(dir);
  expect(existsSync(claim)).toBe(false);
});

test('a claim stays valid for as long as it is held', async () => {
  const dir = newDir();
  const { release } = await claimDataDir(dir);
  const claim = join(dir, 'starting');
  utimesSync(claim, new Date(0), new Date(0));
  await until(() => Date.now() - statSync(claim).mtimeMs < 5_000);
  release();
  expect(existsSync(claim)).toBe(false);
});

test('a port in use is one clear error, and nothing is left running', async () => {
  const other = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  own(() => other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  await expect(start(newDir(), port)).rejects.toThrow(/^Redis did not start \(exit code 1\): .*port \d+/);
});

test('unreadable data is one clear error', async () => {
  const dir = newDir();
  writeFileSync(join(dir, 'appendonlydir'), 'not a folder');
  await expect(start(dir)).rejects.toThrow(/^Redis did not start \(exit code 1\): .*its log: .*redis\.log/);
});
