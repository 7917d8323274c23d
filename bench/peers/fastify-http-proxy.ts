// @fastify/http-proxy as its documentation shows it, on its default transport (undici); no authentication.
import proxy from '@fastify/http-proxy';
import Fastify from 'fastify';

const { PORT, TARGET = '' } = process.env;
const server = Fastify();
await server.register(proxy, { upstream: TARGET });
await server.listen({ port: Number(PORT), host: '127.0.0.1' });
