// Bare Express that reads a new task and responds with it, without a store.
import express from 'express';

const app = express();
app.get('/ready', (_req, res) => void res.end('ready'));
app.post(
  '/tasks',
  express.json(),
  (req, res) => void res.status(201).json({ id: '1', status: 'pending', ...req.body }),
);
app.listen(Number(process.env.PORT), '127.0.0.1');
