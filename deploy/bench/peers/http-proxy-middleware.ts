// A gateway as http-proxy-middleware and jsonwebtoken document it: verify the bearer token, then proxy. The library's own transport
// keeps connections alive. The secret is a KeyObject made once: with a string, each `verify` first tries to parse it as a key.
import { createSecretKey } from 'node:crypto';
import express, { type RequestHandler } from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import jwt from 'jsonwebtoken';

const { PORT, TARGET, JWT_SECRET = '', JWT_ISSUER, JWT_AUDIENCE } = process.env;
const secret = createSecretKey(Buffer.from(JWT_SECRET));

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
