import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import type { RequestHandler } from 'express';
import swaggerUi from 'swagger-ui-express';
import { showDocs } from '../contract.ts';
import { DOCS_HEADER_STYLE, docsHeader } from './docs-header.ts';
import { policyOf } from './policy.ts';
import { withPrefix } from './prefix.ts';
import { type Answer, answerFile, type Pages } from './static-file.ts';

const require = createRequire(import.meta.url);

const FILES = [
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'swagger-ui-standalone-preset.js',
  'favicon-16x16.png',
  'favicon-32x32.png',
];
/** Swagger UI itself follows the colour scheme of the system; some of its colours have too little contrast. */
const STYLE = `
html:not(.dark-mode) .swagger-ui {
  .opblock-get .opblock-summary-method { background: #1f6bb8 }
  .opblock-post .opblock-summary-method { background: #1a7a4c }
  .opblock-put .opblock-summary-method { background: #a65a00 }
  .opblock-patch .opblock-summary-method { background: #0e776a }
  .opblock-delete .opblock-summary-method { background: #c0282d }
  .info .title small { background: #5d6573 }
  .info .title small.version-stamp { background: #4b6b00 }
  .btn.authorize { border-color: #1a7a4c; color: #1a7a4c; svg { fill: #1a7a4c } }
  .markdown code, .renderedMarkdown code { color: #7a0fd6 }
  .url, .info a { color: var(--accent) }
  .header-example, .parameter__in, .json-schema-2020-12-expand-deep-button { color: #5a5a5a }
}
.swagger-ui .topbar { display: none }
.swagger-ui .microlight [style="color: rgb(211, 99, 99);"] { color: #ff9d9d !important }
html.dark-mode .swagger-ui .header-col { color: var(--text) }
html.dark-mode, html.dark-mode .swagger-ui { background: var(--page) }
`;
const OPTIONS = {
  customSiteTitle: 'Agent Fleet API',
  customCss: DOCS_HEADER_STYLE + STYLE,
  swaggerOptions: {
    persistAuthorization: true,
    displayRequestDuration: true,
    // A validator on the Internet would get the document's address.
    validatorUrl: null,
  },
};

/** Hash of the only style that Swagger UI's bundle adds to the page. */
const BUNDLE_STYLE = "'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='";

/** Swagger UI and its assets. */
export function createSwaggerPage(hasWebPages: boolean, prefix: string): Pages {
  const html = withPrefix(toHtml(docsHeader(showDocs.path, hasWebPages)), prefix);
  const options = { ...OPTIONS, swaggerUrl: `${prefix}/openapi.json` };
  const policy = policyOf(html, { styles: `'self' ${BUNDLE_STYLE}` });
  const root = dirname(require.resolve('swagger-ui-dist/package.json'));
  const [init] = swaggerUi.serveFiles(undefined, options) as [RequestHandler];
  const answerInit: Answer = (req, res) => {
    res.setHeader('cache-control', 'no-cache');
    void init(req, res, () => undefined);
  };
  return new Map([
    [showDocs.path, answerFile({ extension: '.html', body: Buffer.from(html), policy })],
    ...FILES.map((name): [string, Answer] => {
      return [`/docs/${name}`, answerFile({ extension: extname(name), body: readFileSync(join(root, name)) })];
    }),
    ['/docs/swagger-ui-init.js', answerInit],
  ]);
}

/** The page is served at `/docs` without a redirect to `/docs/`, so its assets need absolute paths. */
function toHtml(header: string): string {
  return swaggerUi
    .generateHTML(undefined, OPTIONS)
    .replaceAll('="./', '="/docs/')
    .replace('style="position:absolute;width:0;height:0"', 'width="0" height="0" display="block"')
    .replace('<body>', `<body>${header}`);
}
