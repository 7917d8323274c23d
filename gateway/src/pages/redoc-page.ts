import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { showRedoc } from '../contract.ts';
import { DOCS_HEADER_STYLE, docsHeader } from './docs-header.ts';
import { policyOf } from './policy.ts';
import { redocTheme } from './redoc-theme.ts';
import { answerFile, type Pages } from './static-file.ts';

const require = createRequire(import.meta.url);

/**
 * Hashes of the styles that ReDoc's bundle adds to the page: one of its own, and empty ones that it fills by script,
 * which the policy allows. After an update of the package, the browser's console lists the missing hashes.
 */
const BUNDLE_STYLES =
  "'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc=' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";

/** ReDoc loads its logo from a foreign host; it omits the logo when loading fails. */
const LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg';

/** Colours that ReDoc does not take from its theme. */
const STYLE = `
@media (prefers-color-scheme: dark) {
  .api-content h5, .api-content h5 > span { color: var(--muted) !important }
  .api-content td > div > div > span, .api-content td > div > div > span > span { color: var(--muted) !important }
  .api-content svg:not(button *) { fill: var(--muted) }
  .api-content svg:not(button *) :is(polygon, path) { fill: inherit }
  .react-tabs__tab--selected { color: #1d1b18 !important }
  .react-tabs__tab--selected.tab-success { color: #17693f !important }
  .react-tabs__tab--selected.tab-error { color: #b3261e !important }
}
`;

/** ReDoc has one theme, which is set before its bundle runs. */
const SCHEME_SCRIPT = `if (matchMedia('(prefers-color-scheme: dark)').matches) {
  document.querySelector('redoc').setAttribute('theme', '${JSON.stringify(redocTheme('dark'))}');
}
`;

/** ReDoc and its assets. */
export function createRedocPage(hasWebPages: boolean): Pages {
  const html = toHtml(docsHeader(showRedoc.path, hasWebPages));
  const policy = policyOf(html, { styles: BUNDLE_STYLES, more: ['worker-src blob:'] });
  return new Map([
    [showRedoc.path, answerFile({ extension: '.html', body: Buffer.from(html), policy })],
    ['/redoc/scheme.js', answerFile({ extension: '.js', body: Buffer.from(SCHEME_SCRIPT) })],
    ['/redoc/redoc.standalone.js', answerFile({ extension: '.js', body: readBundle() })],
  ]);
}

function toHtml(header: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Agent Fleet API</title>
  <link rel="icon" href="data:,">
  <style>${DOCS_HEADER_STYLE}${STYLE}</style>
</head>
<body>
  ${header}
  <redoc spec-url="/openapi.json" sanitize="true" theme='${JSON.stringify(redocTheme('light'))}'></redoc>
  <script src="/redoc/scheme.js"></script>
  <script src="/redoc/redoc.standalone.js"></script>
</body>
</html>
`;
}

function readBundle(): Buffer {
  const bundle = readFileSync(require.resolve('redoc/bundles/redoc.standalone.js'), 'utf8');
  return Buffer.from(bundle.replaceAll(LOGO, 'data:,'));
}
