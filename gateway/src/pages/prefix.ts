const LINKS = / (href|src|action|spec-url)="\/(?!\/)/g;

/** A page for browsers that find it below `prefix`, which its own scripts read in `data-prefix`. */
export function withPrefix(html: string, prefix: string): string {
  if (prefix === '') return html;
  return html.replace(LINKS, ` $1="${prefix}/`).replace(' data-prefix=""', ` data-prefix="${prefix}"`);
}
