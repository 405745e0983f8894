// Checks the fields of naming templates. Variant, bookmark and shot are known only if exactly one was requested.

import type { NodeType } from '../../engine/node-type.ts';
import { nodeTypes } from '../../features/index.ts';
import {
  parseTemplate,
  type RequestedField,
  requestedFields,
} from '../../language/naming/naming.ts';
import { dimensionsOf, type NodeDraft } from '../node-draft.ts';
import { type AnnotatedText, findAnnotatedTexts, jsonSchemaOf } from '../yaml/annotations.ts';
import { pathKeyOf } from '../yaml/document.ts';
import type { FilledValue } from '../yaml/interpolation.ts';
import type { PathScope } from './check-graph.ts';

type NameScope = PathScope & { filled: FilledValue };

/** Checks the naming templates of all nodes. The graph must have no cycles. */
export function checkNames(scope: NameScope): void {
  for (const node of scope.graph.order()) {
    if (node.type === null || node.config === null) continue;
    const configPath = [...node.path, 'config'];
    for (const text of findAnnotatedTexts(
      jsonSchemaOf(node.type.config),
      node.config,
      configPath,
    )) {
      if (text.language === 'naming') checkName(text, node, scope);
    }
  }
}

function checkName(text: AnnotatedText, node: NodeDraft, scope: NameScope): void {
  const { document, filled } = scope;
  for (const piece of parseTemplate(text.value)) {
    if (!('field' in piece)) continue;
    const field = requestedFields.find((candidate) => candidate === piece.field);
    const reason = field && findUnknownReason(field, node, scope);
    if (!reason) continue;
    const range = filled.texts.has(pathKeyOf(text.path))
      ? document.valueRange(text.path)
      : document.textRange(text.path, piece.start, piece.end);
    document.findings.error('RL523', range, `{{ ${piece.field} }} cannot be known: ${reason}`);
  }
}

function findUnknownReason(
  field: RequestedField,
  node: NodeDraft,
  { graph, paths }: PathScope,
): string | null {
  const ancestors = [...graph.ancestorsOf(node.id)].map((id) => graph.node(id));
  for (const candidate of [node, ...ancestors]) {
    const request = candidate && checkFieldRequest(candidate, field);
    if (typeof request === 'string') return `"${candidate?.id}" ${request}`;
  }
  const test = (ancestor: NodeDraft) => checkFieldRequest(ancestor, field) === true;
  if (paths.isOnEveryPath(node.id, `asks for ${field}`, test)) return null;
  const providers = nodeTypes.filter(
    (type) => type.namingFields?.fields.includes(field) || hasDimension(type, field),
  );
  const names = providers.map(({ type }) => type).join(' or ');
  return `some assets may reach this node without exactly one ${field} from a ${names} node`;
}

/** Returns true if the node requests exactly one, why the field is ambiguous, or null if the node says nothing. */
function checkFieldRequest(node: NodeDraft, field: RequestedField): true | string | null {
  const { type, config } = node;
  if (type !== null && hasDimension(type, field)) {
    const isAlong = dimensionsOf(node).some(({ dimension }) => dimension.name === field);
    return config === null || isAlong ? true : null;
  }
  if (type?.namingFields === undefined) return null;
  // An invalid config counts as valid here, because it is reported elsewhere.
  return config === null ? true : type.namingFields.of(config, field);
}

function hasDimension({ dimensions = [] }: NodeType, name: string): boolean {
  return dimensions.some(({ dimension }) => dimension.name === name);
}
