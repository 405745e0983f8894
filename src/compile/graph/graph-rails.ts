// Draws a graph for the terminal: nodes from top to bottom, edges as lanes that fork and join.
import { condition, type GraphNode } from './graph-nodes.ts';

const widest = 80;
/** With more parallel edges than this, a list of names is easier to read than lines. */
const mostRails = 16;

/** Returns the lines of the drawing, without colour. A node with several parents lists their names. */
export function drawRails(nodes: readonly GraphNode[]): string[] {
  const ordered = branchByBranch(nodes);
  const rows = layRails(ordered);
  const railsWidth = Math.max(1, ...rows.map((row) => row.rails.length));
  const idWidth = Math.max(0, ...nodes.map((node) => node.id.length));
  if (railsWidth > mostRails * 2) return listNodes(ordered, idWidth);
  return rows.map(({ rails, node, detail }) => {
    const text = node === undefined ? indent(detail, idWidth) : heading(node, idWidth);
    return cut(`${rails.padEnd(railsWidth)}  ${text}`.trimEnd());
  });
}

interface Row {
  rails: string;
  node?: GraphNode;
  detail?: string | undefined;
}

/** Lanes from left to right. Each holds the id of the node that it leads to, or null if it is free. */
type Rails = (string | null)[];

function layRails(ordered: readonly GraphNode[]): Row[] {
  const rows: Row[] = [];
  let rails: Rails = [];
  for (const [index, node] of ordered.entries()) {
    const arriving = rails.flatMap((target, rail) => (target === node.id ? [rail] : []));
    const at = arriving[0] ?? freeRails(rails, 0, 1)[0] ?? 0;
    if (arriving.length > 1) {
      rows.push({ rails: crossbar(rails, at, arriving.slice(1), 'join') });
    } else if (index > 0 && rows.at(-1)?.node !== undefined) {
      rows.push({ rails: straight(rails) });
    }
    rails = rails.map((target) => (target === node.id ? null : target));
    rows.push({ rails: straight(rails, at), node });

    const [first, ...others] = ordered.filter(({ parents }) => parents.includes(node.id));
    rails[at] = first?.id ?? null;
    const forks = freeRails(rails, at + 1, others.length);
    const under = [...condition(node), ...parentsLine(node)];
    if (forks.length > 0) {
      rows.push({ rails: crossbar(rails, at, forks, 'fork'), detail: under.shift() });
    }
    for (const [position, rail] of forks.entries()) rails[rail] = others[position]?.id ?? null;
    for (const detail of under) rows.push({ rails: straight(rails), detail });
  }
  return rows;
}

/** Returns the indexes of `count` free lanes at or after `from`, adding new lanes if needed. */
function freeRails(rails: Rails, from: number, count: number): number[] {
  const free: number[] = [];
  for (let rail = from; free.length < count; rail++) {
    if ((rails[rail] ?? null) === null) free.push(rail);
  }
  return free;
}

function straight(rails: Rails, node?: number): string {
  const width = Math.max(rails.length, (node ?? -1) + 1);
  const glyphs = Array.from({ length: width }, (_, rail) => {
    if (rail === node) return '●';
    return (rails[rail] ?? null) === null ? ' ' : '│';
  });
  return glyphs.join(' ').trimEnd();
}

/** Draws a line from one lane to lanes on its right that start (fork) or end (join) there. */
function crossbar(rails: Rails, from: number, ends: number[], kind: 'fork' | 'join'): string {
  const last = ends.at(-1) ?? from;
  const [middle, corner] = kind === 'fork' ? ['┬', '╮'] : ['┴', '╯'];
  const width = Math.max(rails.length, last + 1);
  let line = '';
  for (let rail = 0; rail < width; rail++) {
    const active = (rails[rail] ?? null) !== null;
    const inside = rail > from && rail < last;
    if (rail === from) line += '├';
    else if (rail === last) line += corner;
    else if (ends.includes(rail)) line += middle;
    else if (active) line += inside ? '┼' : '│';
    else line += inside ? '─' : ' ';
    line += rail >= from && rail < last ? '─' : ' ';
  }
  return line.trimEnd();
}

/** Orders parents first and finishes each branch before the next, so that few lanes run in parallel. */
function branchByBranch(nodes: readonly GraphNode[]): GraphNode[] {
  const waiting = new Map(nodes.map((node) => [node.id, node.parents.length]));
  const ready = nodes.filter((node) => node.parents.length === 0).reverse();
  const ordered: GraphNode[] = [];
  for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
    ordered.push(node);
    const { id } = node;
    const children = nodes.filter(({ parents }) => parents.includes(id));
    for (const child of children.toReversed()) {
      const left = (waiting.get(child.id) ?? 0) - 1;
      waiting.set(child.id, left);
      if (left === 0) ready.push(child);
    }
  }
  return ordered;
}

function listNodes(ordered: readonly GraphNode[], idWidth: number): string[] {
  return ordered.flatMap((node) => [
    cut(heading(node, idWidth)),
    ...[...condition(node), ...parentsLine(node, 1)].map((line) => cut(indent(line, idWidth))),
  ]);
}

function heading({ id, type }: GraphNode, idWidth: number): string {
  return `${id.padEnd(idWidth)}  ${type}`;
}

function indent(detail: string | undefined, idWidth: number): string {
  return detail === undefined ? '' : `${' '.repeat(idWidth)}  ${detail}`;
}

function parentsLine({ parents }: GraphNode, least = 2): string[] {
  return parents.length < least ? [] : [`after ${parents.join(', ')}`];
}

function cut(line: string): string {
  const chars = Array.from(line);
  return chars.length <= widest ? line : `${chars.slice(0, widest - 1).join('')}…`;
}
