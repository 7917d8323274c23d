import { isObject } from '@agent-fleet/shared/contract/json-object';
import type { Category } from '../skills/category.ts';
import { cleanLine, cutText, isMeaningful } from '../skills/text.ts';

const MAX_LABEL = 200;
const MAX_DESCRIPTION = 2_000;
const MAX_CATEGORIES = 10_000;

/** A category declared in a registry file. */
export type DeclaredCategory = Omit<Category, 'count'>;

/** Reads the `categories` of a registry file: a list of objects or names, or an object keyed by id. */
export function readDeclaredCategories(categories: unknown): DeclaredCategory[] {
  const declared = Array.isArray(categories)
    ? categories.map((item) => declare(undefined, item))
    : isObject(categories)
      ? Object.entries(categories).map(([key, item]) => declare(key, item))
      : [];
  return declared.filter((category) => category !== undefined).slice(0, MAX_CATEGORIES);
}

function declare(key: string | undefined, item: unknown): DeclaredCategory | undefined {
  if (typeof item === 'string') {
    const id = toLabel(key ?? item);
    return id === undefined ? undefined : { id, name: id, description: key === undefined ? null : toDescription(item) };
  }
  if (!isObject(item)) return undefined;
  const id = toLabel(key ?? item.id ?? item.slug ?? item.name);
  if (id === undefined) return undefined;
  return { id, name: toLabel(item.name ?? item.title) ?? id, description: toDescription(item.description) };
}

function toLabel(value: unknown): string | undefined {
  const label = typeof value === 'string' ? cutText(cleanLine(value), MAX_LABEL) : '';
  return isMeaningful(label) ? label : undefined;
}

function toDescription(value: unknown): string | null {
  const text = typeof value === 'string' ? cutText(cleanLine(value), MAX_DESCRIPTION) : '';
  return isMeaningful(text) ? text : null;
}
