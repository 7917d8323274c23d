// Answers whether a bearer token is valid: 204 or 401, for nginx's auth_request.
import express from 'express';
import { authenticate } from './authenticate.ts';

const app = express();
app.use(authenticate(), (_req, res) => void res.status(204).end());
app.listen(Number(process.env.PORT), '127.0.0.1');
