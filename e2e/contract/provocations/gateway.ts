import {
  anonymously,
  broken,
  but,
  known,
  limited,
  type Prepare,
  type Provocations,
  plainly,
  withBody,
} from '../provocation.ts';

const signIn: Prepare = ({ api }) => {
  const { email: username, password } = api.system.admin;
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = String(new URLSearchParams({ username, password }));
  return { method: 'POST', path: '/token', as: 'nobody', headers, body };
};
const readProtected: Prepare = async ({ freshToken }) => ({
  method: 'GET',
  path: '/protected',
  as: 'nobody',
  headers: { authorization: `Bearer ${await freshToken()}` },
});

function page(path: string): Provocations {
  const good = anonymously('GET', path);
  return { 200: plainly(good), 304: known(good), 429: limited(good), 500: broken('gateway', good) };
}

export const GATEWAY_PROVOCATIONS: Record<string, Provocations> = {
  'POST /token': {
    ...withBody(signIn),
    200: plainly(signIn),
    400: plainly(but(signIn, { body: 'username=only' })),
    401: plainly(but(signIn, { body: 'username=nobody@example.com&password=wrong' })),
    429: limited(signIn),
    500: { under: 'spoilt data', prepare: signIn },
    503: { under: 'lost store', prepare: signIn },
  },
  'GET /protected': {
    200: plainly(readProtected),
    401: plainly(anonymously('GET', '/protected')),
    403: plainly(but(readProtected, { headers: { 'x-api-key': 'wrong' } })),
    429: limited(readProtected),
    500: { under: 'spoilt data', prepare: readProtected },
    503: { under: 'lost store', prepare: readProtected },
  },
  'GET /.well-known/jwks.json': page('/.well-known/jwks.json'),
  'GET /health': {
    200: plainly(anonymously('GET', '/health')),
    500: broken('gateway', anonymously('GET', '/health')),
  },
  'GET /ready': {
    200: plainly(anonymously('GET', '/ready')),
    500: broken('gateway', anonymously('GET', '/ready')),
    503: { under: 'lost store', prepare: anonymously('GET', '/ready') },
  },
  'GET /openapi.json': page('/openapi.json'),
  'GET /docs': page('/docs'),
  'GET /redoc': page('/redoc'),
};
