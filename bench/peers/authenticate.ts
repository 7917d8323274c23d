import { createSecretKey } from 'node:crypto';
import type { RequestHandler } from 'express';
import jwt from 'jsonwebtoken';

const { JWT_SECRET = '', JWT_ISSUER, JWT_AUDIENCE, PREPARED_KEY } = process.env;

/**
 * Verifies the bearer token as jsonwebtoken documents it. With a string, each `verify` first tries to parse it as a
 * key: `PREPARED_KEY` makes the secret into a KeyObject once.
 */
export function authenticate(): RequestHandler {
  const secret = PREPARED_KEY ? createSecretKey(Buffer.from(JWT_SECRET)) : JWT_SECRET;
  return (req, res, next) => {
    const token = req.headers.authorization?.replace(/^Bearer /, '') ?? '';
    jwt.verify(token, secret, { algorithms: ['HS256'], issuer: JWT_ISSUER, audience: JWT_AUDIENCE }, (error) => {
      if (error) res.status(401).json({ detail: 'Could not validate credentials' });
      else next();
    });
  };
}
