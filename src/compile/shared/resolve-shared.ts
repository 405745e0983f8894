// Resolves the shared parts of a pipeline: reads each part, checks it, and merges them into the pipeline.
import { posix } from 'node:path';
import { type LocatedDocument, maxFileLength } from '../yaml/document.ts';
import type { Findings } from '../yaml/findings.ts';
import { readSource } from '../yaml/load.ts';
import { SourceText } from '../yaml/source-text.ts';
import { checkShared } from './check-shared.ts';
import { mergeShared, type Part } from './merge-shared.ts';
import { type IncludedFile, includesOf, type SharedText } from './read-shared.ts';

/**
 * The pipeline with everything that it takes from its shared parts; null if a part has an error, since the pipeline
 * would lack the values of that part.
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
