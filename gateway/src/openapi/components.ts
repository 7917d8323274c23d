import { isDeepStrictEqual } from 'node:util';
import { ownValue } from '@agent-fleet/shared/contract/json-object';
import { type ComponentRef, MergeError, mapReferences } from './references.ts';

/** Components of one document or of the combined one, by `section/name`. */
export type Components = Map<string, ComponentRef & { value: unknown }>;

function keyOf({ section, name }: ComponentRef): string {
  return `${section}/${name}`;
}

/** The components reachable from `root`, including cycles. @throws MergeError for a dangling reference */
export function reachableComponents(document: unknown, root: unknown): Components {
  const found: Components = new Map();
  const waiting: unknown[] = [root];
  const visit = (ref: ComponentRef) => {
    if (found.has(keyOf(ref))) return ref;
    const value = ownValue(ownValue(ownValue(document, 'components'), ref.section), ref.name);
    if (value === undefined) throw new MergeError(`reference to nothing: ${keyOf(ref)}`);
    found.set(keyOf(ref), { ...ref, inside: '', value });
    waiting.push(value);
    return ref;
  };
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) mapReferences(node, visit);
  return found;
}

/**
 * Adds a part's components to the combined ones and returns how references to them change. Components that another part
 * declares identically are shared; different ones are prefixed with the part's name, and so are those that refer to
 * them.
 */
export function addComponents(
  merged: Components,
  part: string,
  components: Components,
): (ref: ComponentRef) => ComponentRef {
  const colliding = findCollisions(merged, components);
  const names = new Map([...colliding].map((key) => [key, freeName(merged, components, part, key)]));
  const change = (ref: ComponentRef) => ({ ...ref, name: names.get(keyOf(ref)) ?? ref.name });
  for (const component of components.values()) {
    const renamed = { ...component, ...change(component), value: mapReferences(component.value, change) };
    merged.set(keyOf(renamed), renamed);
  }
  return change;
}

function findCollisions(merged: Components, components: Components): Set<string> {
  const colliding = new Set<string>();
  const users = new Map<string, string[]>();
  for (const [key, { value }] of components) {
    const other = merged.get(key);
    if (!other) continue;
    const copy = mapReferences(value, (ref) => {
      const known = users.get(keyOf(ref));
      if (known) known.push(key);
      else users.set(keyOf(ref), [key]);
      return ref;
    });
    if (!isDeepStrictEqual(other.value, copy)) colliding.add(key);
  }
  // The set grows while it is iterated: components that refer to a colliding one collide too.
  for (const key of colliding) for (const user of users.get(key) ?? []) colliding.add(user);
  return colliding;
}

function freeName(merged: Components, components: Components, part: string, key: string): string {
  const { section, name } = components.get(key) as ComponentRef;
  let free = `${part}_${name}`;
  const isTaken = (key: string) => merged.has(key) || components.has(key);
  for (let number = 2; isTaken(`${section}/${free}`); number++) free = `${part}_${name}_${number}`;
  return free;
}

/** The `components` object of a document. */
export function toComponentsObject(merged: Components): Record<string, Record<string, unknown>> {
  const bySection = Map.groupBy(merged.values(), ({ section }) => section);
  const sections = [...bySection].map(([section, components]) => [
    section,
    Object.fromEntries(components.map(({ name, value }) => [name, value])),
  ]);
  return Object.fromEntries(sections);
}
