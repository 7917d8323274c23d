// Checks a bearer token for nginx's auth_request: responds 204 or 401.
import express from 'express';
import { authenticate } from './authenticate.ts';

const app = express();
app.use(authenticate(), (_req, res) => void res.status(204).end());
app.listen(Number(process.env.PORT), '127.0.0.1');
