import dagre from '@dagrejs/dagre';

export interface Box {
  name: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Drawing {
  width: number;
  height: number;
  boxes: Box[];
  lines: { from: string; to: string; path: string }[];
}

interface Node {
  name: string;
  depends_on: string[];
}

const boxHeight = 46;

/** Where the steps of a graph stand, from left to right, and the lines between them. */
export function layOut(nodes: Node[], widthOf: (name: string) => number): Drawing {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 18, ranksep: 52, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of nodes) graph.setNode(node.name, { width: widthOf(node.name), height: boxHeight });
  for (const node of nodes) for (const before of node.depends_on) graph.setEdge(before, node.name);
  dagre.layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width,
    height,
    boxes: nodes.map(({ name }) => {
      const box = graph.node(name);
      return { name, x: box.x - box.width / 2, y: box.y - box.height / 2, width: box.width, height: box.height };
    }),
    lines: graph.edges().map((edge) => ({ from: edge.v, to: edge.w, path: curve(graph.edge(edge).points ?? []) })),
  };
}

/** A soft line: horizontal where it begins and ends. */
function curve(points: { x: number; y: number }[]): string {
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined) return '';
  const bend = Math.max(18, (last.x - first.x) / 2);
  return `M${first.x} ${first.y}C${first.x + bend} ${first.y} ${last.x - bend} ${last.y} ${last.x} ${last.y}`;
}
