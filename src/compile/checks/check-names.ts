// Checks that naming templates use only fields that are known. The platform does not say which variant, bookmark or
// shot an output shows, so these fields are known only if exactly one was requested.
import { nodeTypes } from '../../capabilities/index.ts';
import { type AskedField, askedFields, pieces } from '../../language/naming.ts';
import type { NodeWays } from '../graph/node-ways.ts';
import type { NodeDraft } from '../node-draft.ts';
import { type Filled, textKey } from '../yaml/interpolation.ts';
import { jsonSchemaOf, type Marked, markedTexts } from '../yaml/marks.ts';
import type { GraphScope } from './check-graph.ts';

interface NameScope extends GraphScope {
  filled: Filled;
}

/** Requires a graph without cycles. */
export function checkNames(scope: NameScope, ways: NodeWays): void {
  for (const node of scope.graph.order()) {
    if (node.type === null || node.config === null) continue;
    const texts = markedTexts(jsonSchemaOf(node.type.config), node.config, [
      ...node.path,
      'config',
    ]);
    for (const text of texts) {
      if (text.language === 'naming') checkName(text, node, scope, ways);
    }
  }
}

function checkName(text: Marked, node: NodeDraft, scope: NameScope, ways: NodeWays): void {
  const { document, findings, filled } = scope;
  for (const piece of pieces(text.value)) {
    if (!('field' in piece)) continue;
    const field = askedFields.find((known) => known === piece.field);
    const why = field && whyUnknown(field, node, scope, ways);
    if (!why) continue;
    const place = filled.texts.has(textKey(text.path))
      ? document.valueAt(text.path)
      : document.insideText(text.path, piece.start, piece.end);
    findings.error('RL523', place, `{{ ${piece.field} }} cannot be known: ${why}`);
  }
}

function whyUnknown(
  field: AskedField,
  node: NodeDraft,
  { graph }: GraphScope,
  ways: NodeWays,
): string | null {
  const before = [...graph.ancestorsOf(node.id)].map((id) => graph.node(id));
  for (const one of [node, ...before]) {
    const answer = one && asksFor(one, field);
    if (typeof answer === 'string') return `"${one?.id}" ${answer}`;
  }
  const test = (one: NodeDraft) => asksFor(one, field) === true;
  if (ways.surelyThrough(node.id, `asks for ${field}`, test)) return null;
  const givers = nodeTypes.filter(({ asksFor: asks }) => asks?.fields.includes(field));
  const names = givers.map(({ type }) => type).join(' or ');
  return `an asset may come here for which no ${names} node has requested exactly one ${field}`;
}

/** `true`: the node requests exactly one. A string: why the field is ambiguous. `null`: the node says nothing about the field. */
function asksFor({ type, config }: NodeDraft, field: AskedField): true | string | null {
  if (type?.asksFor === undefined) return null;
  // An invalid config is reported elsewhere.
  return config === null ? true : type.asksFor.of(config, field);
}
