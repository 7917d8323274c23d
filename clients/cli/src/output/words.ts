import type { components } from '@agent-fleet/sdk';
import type { Line } from './output.ts';

type Usage = components['schemas']['Usage'];
type Cost = components['schemas']['Cost'];
type Spent = components['schemas']['Spent'];

/** Such as `12,345 in (1,000 cached), 678 out`; undefined if nothing was reported. */
export function usageText(usage: Usage | null | undefined): string | undefined {
  if (!usage) return undefined;
  const { input_tokens, cached_input_tokens, output_tokens } = usage;
  const cached = cached_input_tokens > 0 ? ` (${count(cached_input_tokens)} cached)` : '';
  return `${count(input_tokens)} in${cached}, ${count(output_tokens)} out`;
}

/** Such as `$0.0123`, or `~$0.0123` if it is estimated. */
export function costText(cost: (Pick<Cost, 'amount'> & Partial<Cost>) | null | undefined): string | undefined {
  if (!cost) return undefined;
  // Two decimals at least, and no zeros after them.
  return `${cost.estimated ? '~' : ''}$${cost.amount.toFixed(6).replace(/0{1,4}$/, '')}`;
}

function count(tokens: number): string {
  return tokens.toLocaleString('en-US');
}

/** What an agent or a fleet has used; nothing if no attempt has reported any. */
export function spentFields(spent: Spent | undefined): (readonly [string, string | undefined])[] {
  if (!spent || spent.attempts === 0) return [];
  return [
    ['tokens', usageText(spent)],
    ['cost', costText(spent.cost)],
  ];
}

/** Such as `2 pending, 1 running`. */
export function countsText(counts: Record<string, number>): string {
  const parts = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  return parts.join(', ');
}

/** Markdown without its marks, for reading. */
export function markdownLines(text: string): Line[] {
  let isCode = false;
  return text.split('\n').flatMap((line): Line[] => {
    const isFence = /^\s*(```|~~~)/.test(line);
    if (isFence) isCode = !isCode;
    if (isFence || isCode) return isFence ? [] : [`    ${line}`];
    const [, heading] = /^#{1,6}\s+(.*?)\s*#*$/.exec(line) ?? [];
    const plain = (heading ?? line.replace(/^(\s*)[*+-]\s+/, '$1• '))
      .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, '$1 ($2)')
      .replace(/(\*\*|__|`)(?=\S)(.+?)\1/g, '$2');
    return [heading === undefined ? plain : { style: 'bold', text: plain }];
  });
}
