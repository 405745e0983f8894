// Checks each shared part by itself, so that its mistakes are found in any pipeline, and merges them.
import { posix } from 'node:path';
import { z } from 'zod';
import type { NodeType } from '../../engine/node-type.ts';
import { nodeTypeOf, nodeTypes } from '../../features/index.ts';
import { formatSuggestion } from '../../language/format-suggestion.ts';
import type { Json } from '../../plan/types.ts';
import { fieldsOf } from '../node-draft.ts';
import { jsonSchemaOf, knownKeys } from '../yaml/annotations.ts';
import { type LocatedDocument, maxFileLength } from '../yaml/document.ts';
import type { Findings } from '../yaml/findings.ts';
import { readSource } from '../yaml/load.ts';
import { parseShape, type ShapeScope, valueAt } from '../yaml/shape.ts';
import { SourceText } from '../yaml/source-text.ts';
import { mergeShared, type Part } from './merge-shared.ts';
import { type IncludedFile, includesOf, type SharedText } from './read-shared.ts';
import { sharedPartFields } from './shared-part.ts';

/**
 * The pipeline with everything that it takes from its shared parts; null if a part has an error or cannot be included,
 * since the pipeline would lack its values.
 * @param shared what `readShared` has read for this pipeline
 */
export function resolveShared(
  main: LocatedDocument,
  findings: Findings,
  shared: readonly SharedText[],
): LocatedDocument | null {
  const parts: Part[] = [];
  let characters = main.source.text.length;
  const before = findings.errorCount;
  for (const included of includesOf(main.value)) {
    const text = textOf(included, parts, main, findings, shared);
    if (text === null) continue;
    characters += text.length;
    if (characters > maxFileLength) {
      const message = `with ${included.path} the pipeline has more than ${maxFileLength} characters`;
      findings.error('RL105', main.valueRange(included.at), message);
      return null;
    }
    const part = readPart(included.path, text, main, findings);
    if (part !== null) parts.push(part);
  }
  const merged = findings.errorCount > before ? null : mergeShared(main, parts);
  return findings.errorCount > before ? null : merged;
}

/** The text of a part, or null with a finding at the `include` of the pipeline. */
function textOf(
  { path, at }: IncludedFile,
  parts: readonly Part[],
  main: LocatedDocument,
  findings: Findings,
  shared: readonly SharedText[],
): string | null {
  const read = shared.find((one) => one.path === path);
  let refusal: string | null = null;
  if (parts.some((one) => one.path === path)) refusal = 'it is included twice';
  else if (read === undefined)
    refusal = 'only a pipeline that is read from a file can include parts';
  else if ('refusal' in read) refusal = read.refusal;
  else return read.text;
  findings.error('RL113', main.valueRange(at), `${path} cannot be included: ${refusal}`);
  return null;
}

function readPart(
  path: string,
  text: string,
  main: LocatedDocument,
  findings: Findings,
): Part | null {
  const source = new SourceText(sharedFileOf(main.source.file, path), text);
  const own = findings.ofIncluded(source);
  const document = readSource(source, own.findings, 'shared part');
  if (document === null) return null;
  checkShared(document, own.findings);
  return { path, document, ...own };
}

/** Path of a shared part in problems, which show the pipeline as `file`. */
export function sharedFileOf(file: string, path: string): string {
  return posix.join(posix.dirname(file), path);
}

/** Checks the fields. Values with parameters are checked with the pipeline, which has the parameters. */
function checkShared(document: LocatedDocument, findings: Findings): void {
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
  const type = nodeTypeOf(name);
  if (type === undefined) {
    const range = scope.document.keyRange(at);
    const known = nodeTypes.map((one) => one.type);
    const message = `there is no node type "${name}"`;
    scope.findings.error('RL301', range, message, formatSuggestion(name, known));
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
    scope.findings.error('RL201', range, message, formatSuggestion(field, known));
    return;
  }
  // Defaults are only a part of a config, so each field is checked alone.
  const schema = type.config instanceof z.ZodObject ? type.config.shape[field] : undefined;
  if (schema !== undefined) parseShape(schema, value, scope);
}

function hasParameter(value: Json | undefined): boolean {
  return typeof value === 'string' && value.includes('${{');
}
