import type { Request, Response } from 'express';
import type { Plugin } from 'http-proxy-middleware';
import { Exchange } from './exchange.ts';
import type { Upstream } from './upstream.ts';

/**
 * A plugin of http-proxy-middleware that replaces its transport, `node:http.request`, by undici clients: the former
 * serves half as many requests and forwards hop-by-hop headers. Errors that need a response go to Express's `next`.
 */
export function undiciTransport(upstream: Upstream): Plugin<Request, Response> {
  return (proxyServer) => {
    proxyServer.web = (req, res) =>
      new Promise((resolve, reject) => {
        new Exchange(upstream, req, res, (error) => (error ? reject(error) : resolve())).start();
      });
    // The middleware also emits each error here; without a listener, Node would throw it.
    proxyServer.on('error', () => {});
  };
}
