// A gateway as http-proxy-middleware and jsonwebtoken document it: verify the bearer token with the secret, then proxy. The library's
// own transport keeps connections alive. With a string, each `verify` first tries to parse it as a key: `PREPARED_KEY` has the secret
// made into a KeyObject once.
import { createSecretKey } from 'node:crypto';
import express, { type RequestHandler } from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import jwt from 'jsonwebtoken';

const { PORT, TARGET, JWT_SECRET = '', JWT_ISSUER, JWT_AUDIENCE, PREPARED_KEY } = process.env;
const secret = PREPARED_KEY ? createSecretKey(Buffer.from(JWT_SECRET)) : JWT_SECRET;

const authenticate: RequestHandler = (req, res, next) => {
  const token = req.headers.authorization?.replace(/^Bearer /, '') ?? '';
  jwt.verify(token, secret, { algorithms: ['HS256'], issuer: JWT_ISSUER, audience: JWT_AUDIENCE }, (error) => {
    if (error) res.status(401).json({ detail: 'Could not validate credentials' });
    else next();
  });
};

const app = express();
app.use('/agents', authenticate, createProxyMiddleware({ target: `${TARGET}/agents`, changeOrigin: true }));
app.listen(Number(PORT), '127.0.0.1');
