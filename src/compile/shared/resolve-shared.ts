// Checks each shared part on its own, so that its errors are found in any pipeline, and then merges the parts.
import { posix } from 'node:path';
import { z } from 'zod';
import type { NodeType } from '../../engine/node-type.ts';
import { findNodeType, nodeTypes } from '../../features/index.ts';
import { formatSuggestion } from '../../language/format-suggestion.ts';
import type { Json } from '../../plan/types.ts';
import { toFields } from '../node-draft.ts';
import { jsonSchemaOf, listKnownKeys } from '../yaml/annotations.ts';
import { type LocatedDocument, maxFileLength } from '../yaml/document.ts';
import { readSource } from '../yaml/load.ts';
import { getValueAt, parseShape, type ShapeScope } from '../yaml/shape.ts';
import { SourceText } from '../yaml/source-text.ts';
import { mergeShared, type Part } from './merge-shared.ts';
import { type IncludedFile, includesOf, type SharedText } from './read-shared.ts';
import { createSharedFields } from './shared-part.ts';

/**
 * Returns the pipeline with everything that it gets from its shared parts. Returns null if a part has an error or
 * cannot be included, because the pipeline would lack the values of that part.
 * @param sharedTexts what `readShared` has read for this pipeline
 */
export function resolveShared(
  main: LocatedDocument,
  sharedTexts: readonly SharedText[],
): LocatedDocument | null {
  const { findings } = main;
  const parts: Part[] = [];
  let characters = main.source.text.length;
  const errorsBefore = findings.errorCount;
  for (const included of includesOf(main.value)) {
    const text = findText(included, parts, main, sharedTexts);
    if (text === null) continue;
    characters += text.length;
    if (characters > maxFileLength) {
      const message = `with ${included.path}, the pipeline has more than ${maxFileLength} characters`;
      main.error('RL105', included.valuePath, message);
      return null;
    }
    const part = readPart(included.path, text, main);
    if (part !== null) parts.push(part);
  }
  if (findings.errorCount > errorsBefore) return null;
  const merged = mergeShared(main, parts);
  return findings.errorCount > errorsBefore ? null : merged;
}

/** Returns the text of a part, or null with a finding at the `include` of the pipeline. */
function findText(
  { path, valuePath }: IncludedFile,
  parts: readonly Part[],
  main: LocatedDocument,
  sharedTexts: readonly SharedText[],
): string | null {
  const sharedText = sharedTexts.find((candidate) => candidate.path === path);
  let refusal: string | null = null;
  if (parts.some((part) => part.path === path)) refusal = 'it is included twice';
  else if (sharedText === undefined)
    refusal = 'only a pipeline that is read from a file can include shared parts';
  else if ('refusal' in sharedText) refusal = sharedText.refusal;
  else return sharedText.text;
  main.error('RL113', valuePath, `${path} cannot be included: ${refusal}`);
  return null;
}

function readPart(path: string, text: string, main: LocatedDocument): Part | null {
  const source = new SourceText(sharedFileOf(main.source.file, path), text);
  const { findings, start } = main.findings.ofIncluded(source);
  const document = readSource(findings, 'shared part');
  if (document === null) return null;
  checkShared(document);
  return { path, document, start };
}

/** Returns the path of a shared part in problems, which refer to the pipeline as `file`. */
export function sharedFileOf(file: string, path: string): string {
  return posix.join(posix.dirname(file), path);
}

/** Checks the fields. Values with parameters are checked with the pipeline, which contains the parameters. */
function checkShared(document: LocatedDocument): void {
  const fields = toFields(document.value);
  if (fields === null) {
    const message = 'a shared part must be a mapping, such as `connectors:`';
    document.error('RL203', [], message);
    return;
  }
  const scope: ShapeScope = {
    document,
    basePath: [],
    documentName: 'a shared part',
    pendingParameter: (path) => (hasParameter(getValueAt(document.value, path)) ? '' : null),
  };
  parseShape(createSharedFields(), fields, scope);
  for (const [name, defaults] of Object.entries(toFields(fields['defaults']) ?? {})) {
    checkDefaults(name, toFields(defaults) ?? {}, scope);
  }
}

function checkDefaults(
  name: string,
  { config = {} }: Readonly<Record<string, Json>>,
  scope: ShapeScope,
): void {
  const path = ['defaults', name];
  const type = findNodeType(name);
  if (type === undefined) {
    const typeNames = nodeTypes.map((nodeType) => nodeType.type);
    const message = `the node type "${name}" does not exist`;
    scope.document.errorAtKey('RL301', path, message, formatSuggestion(name, typeNames));
    return;
  }
  for (const [field, value] of Object.entries(toFields(config) ?? {})) {
    checkField(type, field, value, { ...scope, basePath: [...path, 'config', field] });
  }
}

function checkField(type: NodeType, field: string, value: Json, scope: ShapeScope): void {
  const knownFields = listKnownKeys(jsonSchemaOf(type.config), []);
  if (!knownFields.includes(field)) {
    const message = `"${field}" is not a field of ${type.type}`;
    scope.document.errorAtKey(
      'RL201',
      scope.basePath,
      message,
      formatSuggestion(field, knownFields),
    );
    return;
  }
  // Defaults are only part of a config, so each field is checked on its own.
  const schema = type.config instanceof z.ZodObject ? type.config.shape[field] : undefined;
  if (schema !== undefined) parseShape(schema, value, scope);
}

function hasParameter(value: Json | undefined): boolean {
  return typeof value === 'string' && value.includes('${{');
}
