// A gateway as documented by http-proxy-middleware and jsonwebtoken: it verifies the bearer token with the secret, then
// proxies. The library's own transport keeps connections alive.
import express from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { authenticate } from './authenticate.ts';

const { PORT, TARGET } = process.env;
const app = express();
app.use('/agents', authenticate(), createProxyMiddleware({ target: `${TARGET}/agents`, changeOrigin: true }));
app.listen(Number(PORT), '127.0.0.1');
