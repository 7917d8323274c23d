import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import {
  type Binding,
  bind,
  defineOperation,
  type Input,
  type Operation,
} from '@agent-fleet/shared/contract/operation';
import { etagOf, noneMatchHits } from '@agent-fleet/shared/http/etag';
import type { RequestHandler } from 'express';
import swaggerUi from 'swagger-ui-express';
import { showDocs, showRedoc } from './contract.ts';

const require = createRequire(import.meta.url);

const SWAGGER_FILES = [
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'swagger-ui-standalone-preset.js',
  'favicon-16x16.png',
  'favicon-32x32.png',
];
const SWAGGER_OPTIONS = {
  customSiteTitle: 'Agent Fleet API',
  customCss: '.swagger-ui .topbar { display: none }',
  swaggerUrl: '/openapi.json',
  swaggerOptions: {
    persistAuthorization: true,
    displayRequestDuration: true,
    // A validator on the Internet would get the document's address.
    validatorUrl: null,
  },
};

/** Hash of the only style that Swagger UI's bundle adds to the page. */
const SWAGGER_STYLE = "'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='";

/**
 * Hashes of the styles that ReDoc's bundle adds to the page: one of its own, and empty ones that it fills by script,
 * which the policy allows. After an update of the package, the browser's console lists the missing hashes.
 */
const REDOC_STYLES =
  "'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc=' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";

/** ReDoc loads its logo from a foreign host; it omits the logo when loading fails. */
const REDOC_LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg';
const REDOC_THEME = {
  typography: {
    fontFamily: 'system-ui, sans-serif',
    headings: { fontFamily: 'system-ui, sans-serif' },
    code: { fontFamily: 'ui-monospace, monospace' },
  },
};
const REDOC_HTML = `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Agent Fleet API</title>
  <link rel="icon" href="data:,">
  <style>body { margin: 0; padding: 0 }</style>
</head>
<body>
  <redoc spec-url="/openapi.json" sanitize="true" theme='${JSON.stringify(REDOC_THEME)}'></redoc>
  <script src="/redoc/redoc.standalone.js"></script>
</body>
</html>
`;

const SECURITY_HEADERS = {
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};
const CSP =
  "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** Swagger UI at `/docs`, ReDoc at `/redoc`, and their assets, all served by the gateway. */
export function createDocsPages(): Binding[] {
  return [
    bind(showDocs, answerPage(swaggerHtml(), `'self' ${SWAGGER_STYLE}`)),
    ...swaggerFiles(),
    bind(showRedoc, answerPage(REDOC_HTML, REDOC_STYLES, '; worker-src blob:')),
    bind(asset('/redoc/redoc.standalone.js'), answerFile('.js', redocBundle())),
  ];
}

/** The page is served at `/docs` without a redirect to `/docs/`, so its assets need absolute paths. */
function swaggerHtml(): string {
  return swaggerUi
    .generateHTML(undefined, SWAGGER_OPTIONS)
    .replaceAll('="./', '="/docs/')
    .replace('style="position:absolute;width:0;height:0"', 'width="0" height="0" display="block"');
}

/** Allows the styles of the page itself and these `styles`. */
function answerPage(html: string, styles: string, otherPolicy = '') {
  const own = [...html.matchAll(/<style>([\s\S]*?)<\/style>/g)];
  const hashes = own.map(([, style = '']) => `'sha256-${hash('sha256', style, 'base64')}'`).join(' ');
  const policy = `${CSP}; style-src ${styles} ${hashes}${otherPolicy}`;
  return answerFile('.html', Buffer.from(html), { 'content-security-policy': policy });
}

function swaggerFiles(): Binding[] {
  const root = dirname(require.resolve('swagger-ui-dist/package.json'));
  const [init] = swaggerUi.serveFiles(undefined, SWAGGER_OPTIONS) as [RequestHandler];
  return [
    ...SWAGGER_FILES.map((name) =>
      bind(asset(`/docs/${name}`), answerFile(extname(name), readFileSync(join(root, name)))),
    ),
    bind(asset('/docs/swagger-ui-init.js'), async ({ req, res }) => {
      res.setHeader('cache-control', 'no-cache');
      await init(req, res, () => undefined);
      return undefined;
    }),
  ];
}

function redocBundle(): Buffer {
  const bundle = readFileSync(require.resolve('redoc/bundles/redoc.standalone.js'), 'utf8');
  return Buffer.from(bundle.replaceAll(REDOC_LOGO, 'data:,'));
}

/** A path of the pages that is not an operation of the API. */
function asset(path: string): Operation {
  return defineOperation({ id: path, method: 'get', path, tag: '', summary: '', security: 'public', responses: {} });
}

function answerFile(extension: string, body: Buffer, headers?: Record<string, string>) {
  const etag = etagOf(body);
  return ({ req, res }: Pick<Input<Operation>, 'req' | 'res'>): undefined => {
    res.set({ ...SECURITY_HEADERS, ...headers, etag, 'cache-control': 'no-cache' });
    if (noneMatchHits(req.headers['if-none-match'], etag)) res.status(304).end();
    else res.type(extension).send(body);
  };
}
