import type { components } from '@agent-fleet/sdk';

export type GraphNode = components['schemas']['GraphNode'];

/** Of a node and between nodes, in px. */
export const NODE = { width: 176, height: 48, gapX: 44, gapY: 14 };
const MARGIN = 2;

export interface PlacedNode extends GraphNode {
  x: number;
  y: number;
}

export interface Layout {
  nodes: PlacedNode[];
  /** SVG paths, each from a node to one behind it. */
  edges: string[];
  width: number;
  height: number;
}

/** Places nodes in layers: each to the right of all that it comes after, in the order of these. */
export function layOut(nodes: readonly GraphNode[]): Layout {
  const left = new Map(nodes.map((node) => [node.task_id, node]));
  const placed = new Map<string, PlacedNode>();
  let [layers, rows] = [0, 0];
  for (; left.size > 0; layers++) {
    const ready = [...left.values()].filter(({ after }) => after.every((id) => placed.has(id) || !left.has(id)));
    const layer = ready.length > 0 ? ready : [...left.values()];
    const heightOf = ({ after }: GraphNode) =>
      after.reduce((sum, id) => sum + (placed.get(id)?.y ?? 0), 0) / Math.max(1, after.length);
    const sorted = layer.map((node) => ({ node, at: heightOf(node) })).sort((one, other) => one.at - other.at);
    for (const [row, { node }] of sorted.entries()) {
      const x = MARGIN + layers * (NODE.width + NODE.gapX);
      placed.set(node.task_id, { ...node, x, y: MARGIN + row * (NODE.height + NODE.gapY) });
      left.delete(node.task_id);
    }
    rows = Math.max(rows, layer.length);
  }
  const all = [...placed.values()];
  return {
    nodes: all,
    edges: all.flatMap((node) => node.after.flatMap((id) => edge(placed.get(id), node) ?? [])),
    width: layers * (NODE.width + NODE.gapX) - NODE.gapX + 2 * MARGIN,
    height: rows * (NODE.height + NODE.gapY) - NODE.gapY + 2 * MARGIN,
  };
}

function edge(from: PlacedNode | undefined, to: PlacedNode): string | undefined {
  if (!from) return undefined;
  const [x, y] = [from.x + NODE.width, from.y + NODE.height / 2];
  const bend = NODE.gapX / 2;
  return `M${x} ${y}C${x + bend} ${y} ${to.x - bend} ${to.y + NODE.height / 2} ${to.x} ${to.y + NODE.height / 2}`;
}
