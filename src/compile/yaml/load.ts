// Parses the text of a pipeline file, which may be hostile, into a document with the position of every value.
import { parseDocument } from 'yaml';
import type { ProblemCode } from '../../language/problem-codes.ts';
import { findExcessiveNesting } from '../../settings/yaml-nesting.ts';
import { type LocatedDocument, locate, maxFileLength } from './document.ts';
import { findUnquotedBraces } from './find-unquoted-braces.ts';
import { Findings } from './findings.ts';
import { SourceText } from './source-text.ts';

export interface LoadedDocument {
  findings: Findings;
  /** The document. Null if the text is not valid YAML, is empty or is too large. */
  document: LocatedDocument | null;
}

/**
 * Parses YAML 1.2. Never throws, because every problem becomes a finding with its position. Refuses, within a second,
 * any text that would take the parser too much time or memory.
 * @param documentKind what the file should contain, for messages
 */
export function loadText(
  text: string,
  file: string,
  documentKind: 'pipeline' | 'tests' = 'pipeline',
): LoadedDocument {
  const isTooLong = text.length > maxFileLength;
  const findings = new Findings(new SourceText(file, isTooLong ? '' : text));
  if (isTooLong) {
    findings.error('RL105', [0, 0], `the file has more than ${maxFileLength} characters`);
    return { findings, document: null };
  }
  return { findings, document: readSource(findings, documentKind) };
}

/** Parses the source of the findings as `loadText` does. Returns null if it is invalid, empty or too large. */
export function readSource(
  findings: Findings,
  documentKind: 'pipeline' | 'tests' | 'shared part',
): LocatedDocument | null {
  const { text } = findings.source;
  const refusal = findExcessiveNesting(text);
  if (refusal !== null) {
    findings.error(refusal.excess === 'depth' ? 'RL104' : 'RL105', refusal.range, refusal.message);
    return null;
  }
  const braces = findUnquotedBraces(text);
  for (const { range, value } of braces) {
    const quoted = value.includes('}}') ? `: "${value}"` : '';
    const hint = `Put the whole value in quotes${quoted}.`;
    findings.error('RL101', range, 'double braces must be in quotes', hint);
  }
  // The parser would report each brace as a separate mapping.
  return braces.length > 0 ? null : parse(findings, documentKind);
}

function parse(findings: Findings, documentKind: string): LocatedDocument | null {
  const document = parseDocument(findings.source.text, {
    prettyErrors: false,
    // The library takes quadratic time for this check, so `locate` finds duplicate keys instead.
    uniqueKeys: false,
    merge: false,
    // The level is 'error', because with 'silent' the library would accept a second document without an error.
    logLevel: 'error',
  });
  for (const error of document.errors) {
    const { code, message } = describeYamlError(error.code, error.message);
    findings.error(code, error.pos, message);
  }
  if (document.directives.yaml.version !== '1.2') {
    findings.error('RL111', [0, 1], `YAML ${document.directives.yaml.version} is not supported`);
  }
  if (document.errors.length > 0) return null;
  if (document.contents === null) {
    findings.error('RL109', [0, 0], `the file contains no ${documentKind}`);
    return null;
  }
  const located = locate(document, findings);
  // Nothing is returned if a value was dropped for its size, because it must not be reported as missing.
  return findings.has('RL105') ? null : located;
}

function describeYamlError(
  yamlCode: string,
  message: string,
): { code: ProblemCode; message: string } {
  switch (yamlCode) {
    case 'MULTIPLE_DOCS':
      return { code: 'RL108', message: 'a second document starts here' };
    case 'TAB_AS_INDENT':
      return { code: 'RL101', message: 'a tab is used as indentation; YAML requires spaces' };
    case 'RESOURCE_EXHAUSTION':
      return { code: 'RL104', message: 'the text is nested too deeply' };
    default:
      return { code: 'RL101', message: message.charAt(0).toLowerCase() + message.slice(1) };
  }
}
