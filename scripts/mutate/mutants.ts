// Lists the mutants of a source file, and chooses some of them by seed. Pure.

import { randomFraction } from '@renderline/sandbox/seeded-random';
import { type Node, parseSync } from 'oxc-parser';
import { type Change, changesAt } from './changes.ts';

/** A file with one change. */
export interface Mutant {
  /** Path from the root. */
  path: string;
  /** Line number, counted from 1. */
  line: number;
  change: Change;
  /** Text of the line before and after the change. */
  lineBefore: string;
  lineAfter: string;
}

/** Returns all mutants of a file, sorted by position. */
export function mutantsOf(path: string, text: string): Mutant[] {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} is no TypeScript: ${errors[0]?.message}`);
  const changes = nodesOf(program).flatMap((node) => changesAt(node, text));
  return changes
    .toSorted((a, b) => a.start - b.start)
    .map((change) => mutantOf(path, text, change));
}

export function applyChange(text: string, { start, end, replacement }: Change): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

/** Chooses mutants by the seed: those with the lowest lots. The lot of a mutant does not depend on the others. */
export function choose(mutants: readonly Mutant[], count: number, seed: number): Mutant[] {
  const mutantsWithLots = mutants.map((mutant) => {
    const { start, end, replacement } = mutant.change;
    return { mutant, lot: randomFraction(seed, 'mutant', mutant.path, start, end, replacement) };
  });
  const selection = new Set(
    mutantsWithLots
      .toSorted((a, b) => a.lot - b.lot)
      .slice(0, count)
      .map(({ mutant }) => mutant),
  );
  return mutants.filter((mutant) => selection.has(mutant));
}

function mutantOf(path: string, text: string, change: Change): Mutant {
  const lineStart = text.lastIndexOf('\n', change.start - 1) + 1;
  const changedText = applyChange(text, change);
  return {
    path,
    line: text.slice(0, change.start).split('\n').length,
    change,
    lineBefore: lineAt(text, lineStart),
    lineAfter: lineAt(changedText, lineStart),
  };
}

function lineAt(text: string, lineStart: number): string {
  return (text.slice(lineStart).split('\n')[0] ?? '').trim();
}

/** Returns the node and all of its descendants, except types, imports and template text, which no test checks. */
function nodesOf(node: Node): Node[] {
  if (node.type.startsWith('TS') && !('expression' in node)) return [];
  if (node.type === 'ImportDeclaration' || node.type === 'TemplateElement') return [];
  const children = Object.values(node).flatMap((value: unknown) =>
    Array.isArray(value) ? value : [value],
  );
  return [node, ...children.filter(isNode).flatMap(nodesOf)];
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
