// Draws the graph of a pipeline: for the terminal, as Mermaid and as DOT. Pure.

import { drawLanes } from './graph-lanes.ts';
import { condition, type GraphNode } from './graph-nodes.ts';

export { type GraphNode, graphNodes } from './graph-nodes.ts';

/** One node per line, parents above children, edges as lanes; at most 80 columns, no colour. */
export function drawGraph(nodes: readonly GraphNode[]): string {
  return `${drawLanes(nodes).join('\n')}\n`;
}

/** A Mermaid flowchart. */
export function drawMermaid(nodes: readonly GraphNode[]): string {
  // Ids such as `end` are keywords of Mermaid, so nodes are numbered.
  const names = new Map(nodes.map(({ id }, index) => [id, `n${index}`]));
  const lines = ['flowchart TD'];
  for (const node of nodes) {
    const label = [node.id, node.type, ...condition(node)].map(mermaidText).join('<br/>');
    lines.push(`  ${names.get(node.id)}["${label}"]`);
  }
  for (const { id, parents } of nodes) {
    for (const parent of parents) lines.push(`  ${names.get(parent)} --> ${names.get(id)}`);
  }
  return `${lines.join('\n')}\n`;
}

/** A digraph for Graphviz. */
export function drawDot(nodes: readonly GraphNode[]): string {
  const lines = ['digraph pipeline {', '  node [shape=box, fontname="sans-serif"];'];
  for (const node of nodes) {
    const label = [node.id, node.type, ...condition(node)].map(dotText).join('\\n');
    lines.push(`  "${dotText(node.id)}" [label="${label}"];`);
  }
  for (const { id, parents } of nodes) {
    for (const parent of parents) lines.push(`  "${dotText(parent)}" -> "${dotText(id)}";`);
  }
  return `${[...lines, '}'].join('\n')}\n`;
}

/** Escapes every character that Mermaid, or the HTML that it generates, would interpret. */
function mermaidText(text: string): string {
  return text.replace(/["#&<>`\\]/g, (char) => `#${char.charCodeAt(0)};`);
}

function dotText(text: string): string {
  return text.replace(/["\\]/g, '\\$&');
}
