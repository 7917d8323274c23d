import { isObject } from './record-fields.ts';

/** A record of a registry file before anything is known about it; `key` where the file is an object map. */
export interface RawRecord {
  index: number;
  key?: string;
  value: unknown;
}

/**
 * The records of a registry file in any of its shapes: a root array, `skills` or `items` as an array or as an object keyed by slug, or a
 * root object keyed by slug. Undefined when it is none of these.
 */
export function findRecords(document: unknown): RawRecord[] | undefined {
  if (Array.isArray(document)) return fromList(document);
  if (!isObject(document)) return undefined;
  const list = document.skills ?? document.items;
  if (Array.isArray(list)) return fromList(list);
  if (isObject(list)) return fromMap(list);
  const values = Object.values(document);
  return values.filter(looksLikeSkill).length * 2 > values.length ? fromMap(document) : undefined;
}

function fromList(list: unknown[]): RawRecord[] {
  return list.map((value, index) => ({ index, value }));
}

function fromMap(map: object): RawRecord[] {
  return Object.entries(map).map(([key, value], index) => ({ index, key, value }));
}

function looksLikeSkill(value: unknown): boolean {
  return isObject(value) && (typeof value.name === 'string' || typeof value.description === 'string');
}
