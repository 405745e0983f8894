// Checks a shared part by itself, so that its mistakes are found in whichever pipeline includes it.
import { z } from 'zod';
import type { NodeType } from '../../engine/node-type.ts';
import { nodeTypes } from '../../features/index.ts';
import { didYouMean } from '../../language/suggest.ts';
import type { Json } from '../../plan/types.ts';
import { fieldsOf } from '../node-draft.ts';
import { jsonSchemaOf, knownKeys } from '../yaml/annotations.ts';
import type { LocatedDocument } from '../yaml/document.ts';
import type { Findings } from '../yaml/findings.ts';
import { parseShape, type ShapeScope, valueAt } from '../yaml/shape.ts';
import { sharedPartFields } from './shared-part.ts';

/** Checks the fields. Values with parameters are checked with the pipeline, which has the parameters. */
export function checkShared(document: LocatedDocument, findings: Findings): void {
  const fields = fieldsOf(document.value);
  if (fields === null) {
    const message = 'a shared part is a mapping, such as `connectors:`';
    findings.error('RL203', document.valueRange([]), message);
    return;
  }
  const scope: ShapeScope = {
    document,
    findings,
    at: [],
    documentName: 'a shared part',
    pendingParameter: (path) => (hasParameter(valueAt(document.value, path)) ? '' : null),
  };
  parseShape(sharedPartFields(), fields, scope);
  for (const [name, given] of Object.entries(fieldsOf(fields['defaults']) ?? {})) {
    checkDefaults(name, fieldsOf(given) ?? {}, scope);
  }
}

function checkDefaults(
  name: string,
  { config = {} }: Readonly<Record<string, Json>>,
  scope: ShapeScope,
): void {
  const at = ['defaults', name];
  const type = nodeTypes.find((one) => one.type === name);
  if (type === undefined) {
    const range = scope.document.keyRange(at);
    const known = nodeTypes.map((one) => one.type);
    const message = `there is no node type "${name}"`;
    scope.findings.error('RL301', range, message, didYouMean(name, known));
    return;
  }
  for (const [field, value] of Object.entries(fieldsOf(config) ?? {})) {
    checkField(type, field, value, { ...scope, at: [...at, 'config', field] });
  }
}

function checkField(type: NodeType, field: string, value: Json, scope: ShapeScope): void {
  const known = knownKeys(jsonSchemaOf(type.config), []);
  if (!known.includes(field)) {
    const range = scope.document.keyRange(scope.at);
    const message = `"${field}" is not a field of ${type.type}`;
    scope.findings.error('RL201', range, message, didYouMean(field, known));
    return;
  }
  // Defaults are only a part of a config, so each field is checked alone.
  const schema = type.config instanceof z.ZodObject ? type.config.shape[field] : undefined;
  if (schema !== undefined) parseShape(schema, value, scope);
}

function hasParameter(value: Json | undefined): boolean {
  return typeof value === 'string' && value.includes('${{');
}
