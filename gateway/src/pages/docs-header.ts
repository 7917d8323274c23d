const BRAND = 'Agent Fleet';

/** A bar like that of the pages in clients/web, in the colours of its tokens.css. */
export const DOCS_HEADER_STYLE = `
:root {
  color-scheme: light dark;
  --page: light-dark(#faf9f6, #121110);
  --line: light-dark(#e5e1d9, #33302b);
  --text: light-dark(#1d1b18, #efece6);
  --muted: light-dark(#645f56, #a8a297);
  --accent: light-dark(#2446d8, #9db2ff);
}
body { margin: 0; padding: 0; background: var(--page) }
.header { border-bottom: 1px solid var(--line); font: 14px/1.5 system-ui, sans-serif }
.header-inner { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 16px; max-width: 1248px; margin: 0 auto; padding: 12px 16px }
.header a { color: var(--muted); text-decoration: none; white-space: nowrap }
.header a:hover, .header a[aria-current] { color: var(--text) }
.header a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.header .brand { color: var(--text); font-weight: 650 }
.header nav { display: flex; gap: 16px; margin-left: auto }
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
