import { isObject, type JsonObject } from '@agent-fleet/shared/contract/json-object';
import { REQUIRED_SCOPE } from '@agent-fleet/shared/contract/security-schemes';

/** A document is unacceptable: its part of the combined document stays unchanged. */
export class MergeError extends Error {
  override name = 'MergeError';
}

/** The target of a reference: a component and, rarely, a position inside it. */
export interface ComponentRef {
  section: string;
  name: string;
  /** The position inside the component: `''`, or `/…` as written. */
  inside: string;
}

const SECTIONS = new Set(['schemas', 'responses', 'parameters', 'examples', 'requestBodies', 'headers']);
const COMPONENT_REF = /^#\/components\/([^/]+)\/([^/]+)(\/.*)?$/;

/** @throws MergeError unless it refers to a component of the same document */
function parseRef(ref: string): ComponentRef {
  const [, section = '', name = '', inside = ''] = COMPONENT_REF.exec(ref) ?? [];
  if (!SECTIONS.has(section)) throw new MergeError(`reference outside #/components: ${ref.slice(0, 200)}`);
  return { section, name: fromPointer(name), inside };
}

function formatRef({ section, name, inside }: ComponentRef): string {
  return `#/components/${section}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}${inside}`;
}

/** A JSON pointer in a URI fragment (RFC 6901 sections 4 and 6). */
function fromPointer(name: string): string {
  try {
    return decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch (error) {
    throw new MergeError(`malformed reference: ${name.slice(0, 200)}`, { cause: error });
  }
}

/** Keys of maps with arbitrary names: there, `example` or `$ref` is a name. */
const MAPS_OF_NAMES = new Set(
  'properties patternProperties $defs definitions dependentSchemas dependentRequired headers content encoding responses'.split(
    ' ',
  ),
);
/** Keys whose values are data, in which `$ref` has no meaning. */
const DATA = new Set(['example', 'default', 'const', 'enum', 'value']);
/**
 * Dropped keys: they refer to operations of the same document, declare servers or security, link elsewhere, or change
 * the target of references. Extensions (`x-…`) but our own are dropped too, because tools interpret them in unknown
 * ways.
 */
const DROPPED = new Set(['links', 'callbacks', 'servers', 'externalDocs', '$id', '$schema']);

/** Copies a part of a document without the dropped keys, with `change` applied to each reference. */
export function mapReferences(node: unknown, change: (ref: ComponentRef) => ComponentRef): unknown {
  if (Array.isArray(node)) return node.map((item) => mapReferences(item, change));
  if (!isObject(node)) return node;
  const entries = Object.entries(node).filter(([key]) => !isDropped(key));
  return Object.fromEntries(entries.map(([key, value]) => [key, mapValue(key, value, change)]));
}

function isDropped(key: string): boolean {
  return DROPPED.has(key) || (key.startsWith('x-') && key !== REQUIRED_SCOPE);
}

function mapValue(key: string, value: unknown, change: (ref: ComponentRef) => ComponentRef): unknown {
  if (key === '$ref' || key === '$dynamicRef') return mapRef(value, change);
  if (DATA.has(key)) return value;
  if (key === 'discriminator') return mapDiscriminator(value, change);
  if (key === 'examples' && Array.isArray(value)) return value;
  if (isObject(value) && (key === 'examples' || MAPS_OF_NAMES.has(key))) return mapValues(value, change);
  return mapReferences(value, change);
}

function mapValues(map: JsonObject, change: (ref: ComponentRef) => ComponentRef): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, mapReferences(value, change)]));
}

function mapRef(ref: unknown, change: (ref: ComponentRef) => ComponentRef): string {
  if (typeof ref !== 'string') throw new MergeError('malformed reference: not a text');
  return formatRef(change(parseRef(ref)));
}

/** A discriminator refers to schemas by reference or by name. */
function mapDiscriminator(value: unknown, change: (ref: ComponentRef) => ComponentRef): unknown {
  if (!isObject(value) || !isObject(value.mapping)) return value;
  const mapping = Object.entries(value.mapping).map(([name, target]) => {
    const text = String(target);
    return [name, mapRef(/^[\w.-]+$/.test(text) ? `#/components/schemas/${text}` : text, change)];
  });
  return { ...value, mapping: Object.fromEntries(mapping) };
}
