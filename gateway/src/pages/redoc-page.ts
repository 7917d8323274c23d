import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { showRedoc } from '../contract.ts';
import { DOCS_HEADER_STYLE, docsHeader } from './docs-header.ts';
import { policyOf } from './policy.ts';
import { withPrefix } from './prefix.ts';
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

/** ReDoc has one theme, which is light. */
const STYLE = ':root { color-scheme: light }';

/** ReDoc and its assets. */
export function createRedocPage(hasWebPages: boolean, prefix: string): Pages {
  const html = withPrefix(toHtml(docsHeader(showRedoc.path, hasWebPages)), prefix);
  const policy = policyOf(html, { styles: BUNDLE_STYLES, more: ['worker-src blob:'] });
  return new Map([
    [showRedoc.path, answerFile({ extension: '.html', body: Buffer.from(html), policy })],
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
  <redoc spec-url="/openapi.json" sanitize="true"></redoc>
  <script src="/redoc/redoc.standalone.js"></script>
</body>
</html>
`;
}

function readBundle(): Buffer {
  const bundle = readFileSync(require.resolve('redoc/bundles/redoc.standalone.js'), 'utf8');
  return Buffer.from(bundle.replaceAll(LOGO, 'data:,'));
}
