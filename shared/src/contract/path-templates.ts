interface Node<Value> {
  literals: Map<string, Node<Value>>;
  parameter?: Node<Value>;
  value?: Value;
}

/** Finds the template, such as `/agents/{agent_id}`, that a path matches; undefined when there is none. */
export type MatchPath<Value> = (path: string) => Value | undefined;

/**
 * A tree of segments, so that a match costs one look-up per segment. A segment with `{` matches any text except the
 * empty one; a literal takes precedence over it. Case and a trailing slash are significant.
 */
export function createPathMatcher<Value>(
  templates: Iterable<readonly [template: string, value: Value]>,
): MatchPath<Value> {
  const root = createNode<Value>();
  for (const [template, value] of templates) add(root, template, value);
  return (path) => find(root, path, 1);
}

function createNode<Value>(): Node<Value> {
  return { literals: new Map() };
}

function add<Value>(root: Node<Value>, template: string, value: Value): void {
  let node = root;
  for (const segment of template.split('/').slice(1)) {
    if (segment.includes('{')) {
      node.parameter ??= createNode();
      node = node.parameter;
    } else {
      const next = node.literals.get(segment) ?? createNode<Value>();
      node.literals.set(segment, next);
      node = next;
    }
  }
  node.value = value;
}

function find<Value>(node: Node<Value>, path: string, start: number): Value | undefined {
  const slash = path.indexOf('/', start);
  const segment = slash < 0 ? path.slice(start) : path.slice(start, slash);
  const literal = node.literals.get(segment);
  const found = literal && descend(literal, path, slash);
  if (found !== undefined || node.parameter === undefined || segment === '') return found;
  return descend(node.parameter, path, slash);
}

function descend<Value>(node: Node<Value>, path: string, slash: number): Value | undefined {
  return slash < 0 ? node.value : find(node, path, slash + 1);
}
