import type { Request, Response } from 'express';
import type { Plugin } from 'http-proxy-middleware';
import { Exchange } from './exchange.ts';
import type { Upstream } from './upstream.ts';

/**
 * A plugin of http-proxy-middleware that puts undici's pools in the place of its own transport, `node:http.request`, which serves
 * half as many requests and passes hop-by-hop headers on. An error that the client must hear of goes to Express's `next`.
 */
export function undiciTransport(upstream: Upstream): Plugin<Request, Response> {
  return (proxyServer) => {
    proxyServer.web = (req, res) =>
      new Promise((resolve, reject) => {
        new Exchange(upstream, req, res, (error) => (error ? reject(error) : resolve())).start();
      });
    // The middleware emits each error here as well, and an event of this name without a listener would be thrown.
    proxyServer.on('error', () => {});
  };
}
