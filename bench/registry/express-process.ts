// Bare Express with two routes: one sends a prepared buffer with its headers, the other sends an empty 304.
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
