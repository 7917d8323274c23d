// @fastify/http-proxy and @fastify/jwt, used as documented, with the default transport (undici).
import proxy from '@fastify/http-proxy';
import jwt from '@fastify/jwt';
import Fastify from 'fastify';

const { PORT, TARGET = '', JWT_SECRET = '', JWT_ISSUER, JWT_AUDIENCE } = process.env;
const server = Fastify();
await server.register(jwt, {
  secret: JWT_SECRET,
  verify: { algorithms: ['HS256'], allowedIss: JWT_ISSUER, allowedAud: JWT_AUDIENCE },
});
await server.register(proxy, { upstream: TARGET, preHandler: (request) => request.jwtVerify() });
await server.listen({ port: Number(PORT), host: '127.0.0.1' });
