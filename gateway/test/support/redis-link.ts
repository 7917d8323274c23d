import { connect, type Socket } from 'node:net';
import { testRedisUrl } from '@agent-fleet/shared/testing/redis';
import { startTcpUpstream } from './proxy.ts';

interface Connection {
  client: Socket;
  server: Socket;
  /** Whether it follows the changes of users and keys. */
  isFollower: boolean;
  /** Whether it was opened while `dropsFollower`: it may become one. */
  isSuspect: boolean;
}

/** The network between a gateway and the Redis of the tests. */
export class RedisLink {
  /** Drops all bytes of the connections that follow changes, and of all new ones, but keeps them open. */
  dropsFollower = false;
  readonly #connections = new Set<Connection>();
  #listener: Awaited<ReturnType<typeof startTcpUpstream>> | undefined;
  #port = 0;

  static async open(): Promise<RedisLink> {
    const link = new RedisLink();
    await link.open();
    return link;
  }

  /** Listens, after `close` on the same port. */
  async open(): Promise<void> {
    this.#listener = await startTcpUpstream((client) => this.#accept(client), this.#port);
    this.#port = Number(new URL(this.#listener.url).port);
  }

  /** The URL of Redis by way of this link. */
  get url(): string {
    const url = new URL(testRedisUrl());
    url.port = String(this.#port);
    return url.href;
  }

  /** Breaks all connections and refuses new ones. */
  async close(): Promise<void> {
    await this.#listener?.close();
  }

  /** Breaks the connections that follow changes; they can be opened again. */
  breakFollower(): void {
    for (const { client, isFollower } of this.#connections) if (isFollower) client.destroy();
  }

  /** Breaks the other connections; they can be opened again. */
  breakOthers(): void {
    for (const { client, isFollower } of this.#connections) if (!isFollower) client.destroy();
  }

  /** The number of open connections that follow changes. */
  get followers(): number {
    return [...this.#connections].filter(({ isFollower }) => isFollower).length;
  }

  #accept(client: Socket): void {
    const target = new URL(testRedisUrl());
    const server = connect(Number(target.port), target.hostname).on('error', () => client.destroy());
    const connection: Connection = { client, server, isFollower: false, isSuspect: this.dropsFollower };
    this.#connections.add(connection);
    client.on('close', () => {
      this.#connections.delete(connection);
      server.destroy();
    });
    server.on('close', () => client.destroy());
    client.on('data', (bytes) => {
      connection.isFollower ||= /\bxread\b/i.test(bytes.toString('latin1'));
      if (!this.#drops(connection)) server.write(bytes);
    });
    server.on('data', (bytes) => {
      if (!this.#drops(connection)) client.write(bytes);
    });
  }

  #drops({ isFollower, isSuspect }: Connection): boolean {
    return this.dropsFollower && (isFollower || isSuspect);
  }
}
