// Draws the graph of a pipeline for the terminal, as Mermaid or as DOT. Pure.

import { truncate } from '../../api/responses/plain-text.ts';
import type { NodeGraph } from './node-graph.ts';

/** Draws one node per line, with parents above children and edges as lanes. Uses at most 80 columns and no colour. */
export function drawGraph(nodes: readonly GraphNode[]): string {
  return `${drawLanes(nodes).join('\n')}\n`;
}

export function drawMermaid(nodes: readonly GraphNode[]): string {
  // Ids such as `end` are Mermaid keywords, so nodes are numbered.
  const names = new Map(nodes.map(({ id }, index) => [id, `n${index}`]));
  const lines = ['flowchart TD'];
  for (const node of nodes) {
    const label = [node.id, node.type, ...formatCondition(node)].map(escapeMermaid).join('<br/>');
    lines.push(`  ${names.get(node.id)}["${label}"]`);
  }
  for (const { id, parents } of nodes) {
    for (const parent of parents) lines.push(`  ${names.get(parent)} --> ${names.get(id)}`);
  }
  return `${lines.join('\n')}\n`;
}

/** Draws a digraph for Graphviz. */
export function drawDot(nodes: readonly GraphNode[]): string {
  const lines = ['digraph pipeline {', '  node [shape=box, fontname="sans-serif"];'];
  for (const node of nodes) {
    const label = [node.id, node.type, ...formatCondition(node)].map(escapeDot).join('\\n');
    lines.push(`  "${escapeDot(node.id)}" [label="${label}"];`);
  }
  for (const { id, parents } of nodes) {
    for (const parent of parents) lines.push(`  "${escapeDot(parent)}" -> "${escapeDot(id)}";`);
  }
  return `${[...lines, '}'].join('\n')}\n`;
}

/** Escapes every character that Mermaid, or the HTML that it generates, would interpret. */
function escapeMermaid(text: string): string {
  return text.replace(/["#&<>`\\]/g, (char) => `#${char.charCodeAt(0)};`);
}

function escapeDot(text: string): string {
  return text.replace(/["\\]/g, '\\$&');
}

export interface GraphNode {
  id: string;
  type: string;
  when: string | null;
  parents: readonly string[];
}

/** Returns the nodes in topological order, without disabled ones. */
export function graphNodesOf(graph: NodeGraph): GraphNode[] {
  return graph.order().map(({ id, typeName, when }) => ({
    id,
    type: typeName,
    when,
    parents: graph.parentsOf(id),
  }));
}

/** Formats the condition on one line, without control characters, which must not reach a terminal. */
function formatCondition({ when }: GraphNode): string[] {
  if (when === null) return [];
  const line = when.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return [`when ${line}`];
}

const maxColumns = 80;
/** Above this number of parallel edges, a list of names is easier to read than lanes. */
const maxLanes = 16;

/** Returns the lines of the drawing, without colour. For a node with several parents, lists their names. */
function drawLanes(nodes: readonly GraphNode[]): string[] {
  const ordered = sortByBranch(nodes);
  const rows = layOutLanes(ordered);
  const lanesWidth = Math.max(1, ...rows.map((row) => row.lanes.length));
  const idWidth = Math.max(0, ...nodes.map((node) => node.id.length));
  if (lanesWidth > maxLanes * 2) return listNodes(ordered, idWidth);
  return rows.map(({ lanes, node, detail }) => {
    const text = node === undefined ? indent(detail, idWidth) : formatHeading(node, idWidth);
    return truncate(`${lanes.padEnd(lanesWidth)}  ${text}`.trimEnd(), maxColumns);
  });
}

interface Row {
  lanes: string;
  node?: GraphNode;
  detail?: string | undefined;
}

/** Lanes from left to right. Each contains the id of the node that it leads to, or null if it is free. */
type Lanes = (string | null)[];

function layOutLanes(ordered: readonly GraphNode[]): Row[] {
  const rows: Row[] = [];
  let lanes: Lanes = [];
  for (const [index, node] of ordered.entries()) {
    const arriving = lanes.flatMap((target, lane) => (target === node.id ? [lane] : []));
    const nodeLane = arriving[0] ?? findFreeLanes(lanes, 0, 1)[0] ?? 0;
    if (arriving.length > 1) {
      rows.push({ lanes: drawCrossbar(lanes, nodeLane, arriving.slice(1), 'join') });
    } else if (index > 0 && rows.at(-1)?.node !== undefined) {
      rows.push({ lanes: drawStraight(lanes) });
    }
    lanes = lanes.map((target) => (target === node.id ? null : target));
    rows.push({ lanes: drawStraight(lanes, nodeLane), node });

    const [first, ...others] = ordered.filter(({ parents }) => parents.includes(node.id));
    lanes[nodeLane] = first?.id ?? null;
    const forks = findFreeLanes(lanes, nodeLane + 1, others.length);
    const under = [...formatCondition(node), ...formatParents(node)];
    if (forks.length > 0) {
      rows.push({ lanes: drawCrossbar(lanes, nodeLane, forks, 'fork'), detail: under.shift() });
    }
    for (const [position, lane] of forks.entries()) lanes[lane] = others[position]?.id ?? null;
    for (const detail of under) rows.push({ lanes: drawStraight(lanes), detail });
  }
  return rows;
}

/** Returns the indexes of `count` free lanes at or after `from`, adding new lanes if needed. */
function findFreeLanes(lanes: Lanes, from: number, count: number): number[] {
  const lanesLeft: number[] = [];
  for (let lane = from; lanesLeft.length < count; lane++) {
    if ((lanes[lane] ?? null) === null) lanesLeft.push(lane);
  }
  return lanesLeft;
}

function drawStraight(lanes: Lanes, node?: number): string {
  const width = Math.max(lanes.length, (node ?? -1) + 1);
  const glyphs = Array.from({ length: width }, (_, lane) => {
    if (lane === node) return '●';
    return (lanes[lane] ?? null) === null ? ' ' : '│';
  });
  return glyphs.join(' ').trimEnd();
}

/** Draws a line from one lane to lanes on its right that start (fork) or end (join) there. */
function drawCrossbar(lanes: Lanes, from: number, ends: number[], kind: 'fork' | 'join'): string {
  const last = ends.at(-1) ?? from;
  const [middle, corner] = kind === 'fork' ? ['┬', '╮'] : ['┴', '╯'];
  const width = Math.max(lanes.length, last + 1);
  let line = '';
  for (let lane = 0; lane < width; lane++) {
    const active = (lanes[lane] ?? null) !== null;
    const inside = lane > from && lane < last;
    if (lane === from) line += '├';
    else if (lane === last) line += corner;
    else if (ends.includes(lane)) line += middle;
    else if (active) line += inside ? '┼' : '│';
    else line += inside ? '─' : ' ';
    line += lane >= from && lane < last ? '─' : ' ';
  }
  return line.trimEnd();
}

/** Sorts parents first and finishes each branch before the next, so that few lanes run in parallel. */
function sortByBranch(nodes: readonly GraphNode[]): GraphNode[] {
  const openParentCounts = new Map(nodes.map((node) => [node.id, node.parents.length]));
  const readyNodes = nodes.filter((node) => node.parents.length === 0).reverse();
  const ordered: GraphNode[] = [];
  for (let node = readyNodes.pop(); node !== undefined; node = readyNodes.pop()) {
    ordered.push(node);
    const { id } = node;
    const children = nodes.filter(({ parents }) => parents.includes(id));
    for (const child of children.toReversed()) {
      const openCount = (openParentCounts.get(child.id) ?? 0) - 1;
      openParentCounts.set(child.id, openCount);
      if (openCount === 0) readyNodes.push(child);
    }
  }
  return ordered;
}

function listNodes(ordered: readonly GraphNode[], idWidth: number): string[] {
  return ordered.flatMap((node) => [
    truncate(formatHeading(node, idWidth), maxColumns),
    ...[...formatCondition(node), ...formatParents(node, 1)].map((line) =>
      truncate(indent(line, idWidth), maxColumns),
    ),
  ]);
}

function formatHeading({ id, type }: GraphNode, idWidth: number): string {
  return `${id.padEnd(idWidth)}  ${type}`;
}

function indent(detail: string | undefined, idWidth: number): string {
  return detail === undefined ? '' : `${' '.repeat(idWidth)}  ${detail}`;
}

function formatParents({ parents }: GraphNode, minParents = 2): string[] {
  return parents.length < minParents ? [] : [`after ${parents.join(', ')}`];
}
