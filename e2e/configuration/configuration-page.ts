import { join } from 'node:path';
import { agentsVariables } from '@agent-fleet/agents/src/config.ts';
import { gatewayVariables } from '@agent-fleet/gateway/src/config.ts';
import { identityVariables } from '@agent-fleet/identity/src/config.ts';
import { registryVariables } from '@agent-fleet/registry/src/config.ts';
import { ROOT } from '@agent-fleet/scripts/services';

export const PAGE = join(ROOT, 'docs/configuration.md');

export const PROGRAMS: Record<string, { shape: object }> = {
  Gateway: gatewayVariables,
  Identity: identityVariables,
  Agents: agentsVariables,
  Registry: registryVariables,
};

interface Meta {
  description?: string;
  secret?: boolean;
  range?: string;
}

/** What is read of a type of zod. */
interface Field {
  meta(): Meta | undefined;
  def: {
    /** Of a default or an optional one. */
    innerType?: Field;
    /** Of a transformation. */
    in?: Field;
    defaultValue?: unknown;
    entries?: Record<string, string>;
  };
}

/** The page with the table below each heading of a program as the configuration declares it now. */
export function withTables(page: string): string {
  const rows = Object.entries(PROGRAMS).map(([name, { shape }]) => [name, rowsOf(shape)] as const);
  const all = rows.map(([, own]) => own);
  const isCommon = (row: string) => all.every((own) => own.includes(row));
  const heading = '| variable | default | range | meaning |\n|---|---|---|---|';
  const table = (own: readonly string[]) => [heading, ...own].join('\n');
  const tables = {
    'All services': table((all[0] ?? []).filter(isCommon)),
    ...Object.fromEntries(rows.map(([name, own]) => [name, table(own.filter((row) => !isCommon(row)))])),
  };
  return Object.entries(tables).reduce((text, [name, rows]) => replaceTable(text, name, rows), page);
}

function rowsOf(shape: object): string[] {
  return Object.entries(shape as Record<string, Field>).map(([name, field]) => {
    const { meta, value, range } = read(field);
    if (!meta.description) throw new Error(`${name} has no description`);
    return `| \`${name}\` | ${value === undefined ? '' : `\`${value}\``} | ${range ?? ''} | ${meta.secret ? '**secret**: ' : ''}${meta.description} |`;
  });
}

/** What a field says of itself, and what the type in it does. */
function read(field: Field): { meta: Meta; value?: unknown; range?: string } {
  const { innerType = field.def.in, defaultValue, entries } = field.def;
  const inner = innerType && read(innerType);
  const meta = field.meta() ?? {};
  const isShown = ['string', 'number'].includes(typeof defaultValue) && defaultValue !== '';
  const words = entries && Object.keys(entries).map((word) => `\`${word}\``);
  return { meta, value: isShown ? defaultValue : inner?.value, range: meta.range ?? words?.join(', ') ?? inner?.range };
}

function replaceTable(page: string, heading: string, table: string): string {
  const [before, after] = page.split(`\n## ${heading}\n`);
  if (after === undefined) throw new Error(`The page has no heading ${heading}`);
  return `${before}\n## ${heading}\n${after.replace(/^\|.*(?:\n\|.*)*/m, () => table)}`;
}
