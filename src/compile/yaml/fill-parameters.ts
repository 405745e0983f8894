import { formatSuggestion } from '../../language/format-suggestion.ts';
import { findPlaceholderProblem, findPlaceholders } from '../../language/naming/placeholders.ts';
import type { Json } from '../../plan/types.ts';
import {
  type LocatedDocument,
  maxFileLength,
  maxTextLength,
  type Path,
  pathKeyOf,
} from './document.ts';
import { type FilledValue, findInterpolations, mapTexts, substitute } from './interpolation.ts';
import { type Parameters, placeholderOf } from './parameters.ts';
import { formatPath } from './shape.ts';

/** Fields that must not contain parameters, so that they are the same in all runs of a file. */
const fixedPaths: readonly { path: Path; name: string }[] = [
  { path: ['name'], name: 'the name' },
  { path: ['include'], name: 'include' },
  { path: ['include', 0], name: 'include' },
  { path: ['nodes', 0, 'id'], name: 'an id' },
  { path: ['nodes', 0, 'type'], name: 'a type' },
  { path: ['nodes', 0, 'parentIds', 0], name: 'parentIds' },
  { path: ['connectors', '', 'type'], name: 'a connector type' },
];

/** Fills in the values of parameters. A placeholder replaces a missing value, only to check types. */
export function fillParameters(
  raw: Json,
  parameters: Parameters,
  document: LocatedDocument,
): FilledValue {
  reportParametersInKeys(raw, [], document);
  const texts = new Map<string, { parameters: string[]; pending: boolean; original: string }>();
  const values = new Map(parameters.values);
  for (const [name, parameter] of parameters.byName) {
    if (!values.has(name)) values.set(name, placeholderOf(parameter));
  }
  let characters = 0;
  const value = mapTexts(raw, (text, path) => {
    if (path[0] === 'parameters' || !text.includes('${{')) return text;
    const fixed =
      fixedPaths.find((fixedPath) => isPathMatch(path, fixedPath.path)) ?? findFixedField(path);
    const { used, refused } = readText(text, path, fixed, parameters, document);
    const isPending = refused || used.some((name) => !parameters.values.has(name));
    texts.set(pathKeyOf(path), { parameters: used, pending: isPending, original: text });
    if (fixed !== undefined || refused || characters > maxFileLength) return text;
    const result = substitute(text, values);
    if (typeof result !== 'string') return result;
    characters += result.length;
    const reason = findLengthProblem(result, characters);
    if (reason === null) return result;
    document.error('RL105', path, reason);
    return text;
  });
  return { value, texts };
}

function findLengthProblem(text: string, characters: number): string | null {
  if (text.length > maxTextLength) {
    return `after its parameters are filled in, the text has ${text.length} characters; the maximum is ${maxTextLength}`;
  }
  if (characters <= maxFileLength) return null;
  return `parameters make the file longer than ${maxFileLength} characters`;
}

/** Returns the parameters in a string, and whether anything in the string was refused. */
function readText(
  text: string,
  path: Path,
  fixed: { name: string } | undefined,
  parameters: Parameters,
  document: LocatedDocument,
): { used: string[]; refused: boolean } {
  const { findings } = document;
  const usedNames: string[] = [];
  const tooMany = findPlaceholderProblem(findPlaceholders(text, '${{'));
  if (tooMany !== null) {
    const { message, start, end } = tooMany;
    findings.error('RL306', document.textRange(path, start, end), `${formatPath(path)} ${message}`);
    return { used: usedNames, refused: true };
  }
  let isRefused = false;
  for (const { parameter, source, start, end } of findInterpolations(text)) {
    const range = document.textRange(path, start, end);
    const isDeclared = parameter !== null && parameters.names.has(parameter);
    isRefused ||= fixed !== undefined || !isDeclared;
    if (isDeclared) usedNames.push(parameter);
    if (fixed !== undefined) {
      findings.error('RL306', range, `${fixed.name} must not contain a parameter`);
    } else if (parameter === null) {
      const message = `\${{ ${source} }} is not an interpolation`;
      findings.error('RL306', range, message, 'Write ${{ params.NAME }}.');
    } else if (!isDeclared) {
      const hint = () => formatSuggestion(parameter, [...parameters.names]);
      findings.error('RL304', range, `the parameter "${parameter}" is not declared`, hint);
    }
  }
  return { used: usedNames, refused: isRefused };
}

function reportParametersInKeys(value: Json, path: Path, document: LocatedDocument): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, item] of Object.entries(value)) {
    const itemPath = [...path, Array.isArray(value) ? Number(name) : name];
    if (name.includes('${{')) {
      document.errorAtKey('RL306', itemPath, 'a key must not contain a parameter');
    }
    reportParametersInKeys(item, itemPath, document);
  }
}

/** Finds a field that must not contain parameters: a schedule sets them, and `start` states who may set some. */
function findFixedField(path: Path): { name: string } | undefined {
  if (path[0] === 'start') return { name: '`start`' };
  return path[0] === 'schedule' ? { name: 'a schedule' } : undefined;
}

function isPathMatch(path: Path, pattern: Path): boolean {
  return (
    path.length === pattern.length &&
    pattern.every((step, index) => {
      if (typeof step === 'number') return typeof path[index] === 'number';
      return step === '' || step === path[index];
    })
  );
}
