const BRAND =
  '<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8"/><path d="M8 21.5 16 8l8 13.5-8-3.6z"/></svg>Agent Fleet';

/** The bar at the top of the pages in clients/web: the same sizes, and the colours of its tokens.css. */
export const DOCS_HEADER_STYLE = `
:root {
  color-scheme: light dark;
  --page: light-dark(#faf9f6, #121110);
  --line: light-dark(#e5e1d9, #33302b);
  --text: light-dark(#1d1b18, #efece6);
  --muted: light-dark(#645f56, #a8a297);
  --accent: light-dark(#2446d8, #9db2ff);
  --on-accent: light-dark(#ffffff, #10131f);
}
body { margin: 0; padding: 0; background: var(--page) }
.header {
  border-bottom: 1px solid var(--line);
  font: 14px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
.header-inner {
  display: flex;
  align-items: center;
  gap: 16px;
  box-sizing: border-box;
  height: 52px;
  max-width: 1248px;
  margin: 0 auto;
  padding: 0 16px;
}
.header a { color: var(--muted); text-decoration: none; white-space: nowrap }
.header a:hover, .header a[aria-current] { color: var(--text) }
.header a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.header .brand {
  display: inline-flex;
  align-items: center;
  gap: 8px;
  color: var(--text);
  font-weight: 650;
  letter-spacing: -0.01em;
  white-space: nowrap;
}
.brand svg { width: 22px; height: 22px; fill: var(--accent) }
.brand path { fill: var(--on-accent) }
.header nav { display: flex; gap: 16px; margin-left: auto }
@media (width < 480px) {
  .header-inner { gap: 12px; padding: 0 12px }
  .header nav { gap: 12px }
}
`;

/** The bar on the page at `current`. Links to the catalogue and the console only if the gateway serves them. */
export function docsHeader(current: string, hasWebPages: boolean): string {
  const links = [...(hasWebPages ? [['/console', 'Console']] : []), ['/docs', 'API reference'], ['/redoc', 'ReDoc']];
  const items = links.map(([href, label]) => {
    return `<a href="${href}"${href === current ? ' aria-current="page"' : ''}>${label}</a>`;
  });
  const brand = hasWebPages ? `<a class="brand" href="/">${BRAND}</a>` : `<span class="brand">${BRAND}</span>`;
  return `<header class="header"><div class="header-inner">${brand}<nav aria-label="Pages">${items.join('')}</nav></div></header>`;
}
