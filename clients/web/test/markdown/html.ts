import { toAddress } from '../../src/markdown/addresses.ts';
import type { Content } from '../../src/markdown/elements.ts';
import { parseMarkdown } from '../../src/markdown/parse-markdown.ts';

/** What Markdown becomes, as HTML, for tests to compare. */
export async function toHtml(text: string, baseUrl?: string): Promise<string> {
  const { blocks } = await parseMarkdown(text, (url) => toAddress(url, baseUrl));
  return blocks.map(write).join('\n');
}

function write(content: Content): string {
  if (typeof content === 'string') return escapeHtml(content);
  if (content.kind === 'code') return `<pre lang="${escapeHtml(content.language)}">${escapeHtml(content.text)}</pre>`;
  if (content.kind === 'plain') return `<plain>${escapeHtml(content.text)}</plain>`;
  const attributes = Object.entries(content.attributes).map(([name, value]) =>
    value === true ? ` ${name}` : value === false ? '' : ` ${name}="${escapeHtml(String(value))}"`,
  );
  return `<${content.name}${attributes.join('')}>${content.children.map(write).join('')}</${content.name}>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
