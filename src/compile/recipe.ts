// The recipe: a hash of everything in a file that decides what an output looks like.

import { compileExpression } from '../language/expressions.ts';
import { hashOf } from '../language/hash.ts';
import { expressionsIn } from '../language/value-template.ts';
import type { Json } from '../plan/types.ts';
import type { Checked } from './checks/check.ts';
import { isCel } from './checks/check-marks.ts';
import { fieldsOf, type NodeDraft } from './node-draft.ts';
import { jsonSchemaOf, markedTexts } from './yaml/marks.ts';

/**
 * Equal recipes make equal outputs. Ids, the order of independent nodes, timeouts, batch sizes, nodes that
 * only wait or stand aside and comments are not in it.
 */
export function recipeOf(order: readonly NodeDraft[], { parameters, graph }: Checked): string {
  const hashes = new Map<string, string>();
  for (const node of order) {
    const own = decisions(node);
    if (own === null) continue;
    const read = [...parameters.values].filter(([name]) => own.reads.has(name));
    // Earlier decisions matter too: a template for some assets, then settings for all of them.
    const before = [...graph.ancestorsOf(node.id)].flatMap((id) => hashes.get(id) ?? []);
    hashes.set(node.id, hashOf([own.value, Object.fromEntries(read), before.sort()]));
  }
  return hashOf([...hashes.values()].sort());
}

/** The part of a node's config that decides about outputs, with the parameters that its expressions read; null for none. */
function decisions({ type, config, when }: NodeDraft): { value: Json; reads: Set<string> } | null {
  if (type === null || type.aside || (type.recipe.length === 0 && when === null)) return null;
  const given = fieldsOf(config ?? {}) ?? {};
  const fields = Object.fromEntries(type.recipe.map((name) => [name, given[name] ?? null]));
  const expressions = when === null ? [] : [when];
  for (const { value, language } of markedTexts(jsonSchemaOf(type.config), fields)) {
    if (isCel(language)) expressions.push(value);
    if (language === 'value') {
      expressions.push(...expressionsIn(value).map(({ source }) => source));
    }
  }
  const value = { type: type.type, fields, when };
  return { value, reads: new Set(expressions.flatMap(parametersOf)) };
}

/** Parameters that an expression reads; those put in by ${{ }} are in the fields already. */
function parametersOf(expression: string): string[] {
  const compiled = compileExpression(expression);
  if (!compiled.ok) return [];
  return compiled.reads.flatMap((name) =>
    name.startsWith('params.') ? [name.slice('params.'.length)] : [],
  );
}
