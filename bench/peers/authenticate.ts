import { createSecretKey } from 'node:crypto';
import type { RequestHandler } from 'express';
import jwt from 'jsonwebtoken';

const { JWT_SECRET = '', JWT_ISSUER, JWT_AUDIENCE, PREPARED_KEY } = process.env;

/**
 * Verifies the bearer token as documented by jsonwebtoken. `verify` tries to parse a string as a key each time; with
 * `PREPARED_KEY`, the secret becomes a KeyObject once.
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
