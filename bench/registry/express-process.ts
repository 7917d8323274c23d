// Bare Express: one route that sends a buffer which is at hand, with the headers that come with it, and one that sends
// nothing.
import { readFileSync } from 'node:fs';
import express from 'express';

const { PORT, BODY_FILE = '', BODY_HEADERS = '{}' } = process.env;
const body = readFileSync(BODY_FILE);
const headers = JSON.parse(BODY_HEADERS) as Record<string, string>;

const app = express();
app.get('/api/skills', (_req, res) => void res.set(headers).end(body));
app.get('/nothing', (_req, res) => void res.status(304).end());
app.get('/ready', (_req, res) => void res.end('ready'));
app.listen(Number(PORT), '127.0.0.1');
