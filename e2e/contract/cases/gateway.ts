import {
  anonymously,
  broken,
  but,
  type ContractCases,
  known,
  limited,
  type Prepare,
  plainly,
  withBody,
} from '../contract-case.ts';

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

function page(path: string): ContractCases {
  const good = anonymously('GET', path);
  return { 200: plainly(good), 304: known(good), 429: limited(good), 500: broken('gateway', good) };
}

export const GATEWAY_CASES: Record<string, ContractCases> = {
  'POST /token': {
    ...withBody(signIn),
    200: plainly(signIn),
    400: plainly(but(signIn, { body: 'username=only' })),
    401: plainly(but(signIn, { body: 'username=nobody@example.com&password=wrong' })),
    429: limited(signIn),
    500: { under: 'corrupt data', prepare: signIn },
    503: { under: 'unavailable store', prepare: signIn },
  },
  'GET /protected': {
    200: plainly(readProtected),
    401: plainly(anonymously('GET', '/protected')),
    403: plainly(but(readProtected, { headers: { 'x-api-key': 'wrong' } })),
    429: limited(readProtected),
    500: { under: 'corrupt data', prepare: readProtected },
    503: { under: 'unavailable store', prepare: readProtected },
  },
  'GET /.well-known/jwks.json': page('/.well-known/jwks.json'),
  'GET /health': {
    200: plainly(anonymously('GET', '/health')),
    500: broken('gateway', anonymously('GET', '/health')),
  },
  'GET /ready': {
    200: plainly(anonymously('GET', '/ready')),
    500: broken('gateway', anonymously('GET', '/ready')),
    503: { under: 'unavailable store', prepare: anonymously('GET', '/ready') },
  },
  'GET /openapi.json': page('/openapi.json'),
  'GET /docs': page('/docs'),
  'GET /redoc': page('/redoc'),
};
