// Generates the page of all failures with their fixes.
import { commonErrors, errorCodes } from '../../src/api/contract/error-codes.ts';
import type { KnownFailure } from '../../src/failures/define.ts';
import { anchorOf } from '../../src/failures/docs-link.ts';
import { fileWarnings, inspectionFailures } from '../../src/failures/files.ts';
import { platformFailureOf } from '../../src/failures/platform.ts';
import { pathFailures, storageFailures } from '../../src/failures/storage.ts';
import { knownFailures } from '../../src/features/failures.ts';
import { type CodeText, problemCodes } from '../../src/language/problem-codes.ts';
import { formatPage, formatTable, generatedNote, toCode } from './markdown.ts';

const kinds: readonly (readonly [prefix: string, title: string])[] = [
  ['RL1', 'The text'],
  ['RL2', 'Fields and values'],
  ['RL3', 'Names that refer to something'],
  ['RL4', 'The graph'],
  ['RL5', 'Expressions, globs and naming'],
  ['RL6', 'Checks that need a run'],
  ['RL7', 'The schedule'],
  ['RL8', 'Test files'],
];

const inspection = Object.values<KnownFailure>(inspectionFailures);
const warnings = Object.values<KnownFailure>(fileWarnings);
const fileFailures = Object.values<KnownFailure>({ ...pathFailures, ...storageFailures });
const separateFailures = new Set([...inspection, ...warnings, ...fileFailures]);

export function formatErrorsPage(): string {
  const text = formatPage(
    generatedNote,
    '# Errors',
    'Codes are stable. [Problems of a pipeline file](#problems-of-a-pipeline-file) are found before anything is sent. [Causes](#causes-that-stop-a-run) stop a run until somebody acts. [Failures](#failures-of-an-asset) belong to one asset and do not affect the others. [Errors](#errors-of-a-command) belong to one command. Commands and `renderline explain CODE` print the same fixes; a message may be more specific. Exit codes are explained in [commands](commands.md#exit-codes).',
    '## Problems of a pipeline file',
    '`renderline validate` shows the position of each problem as `file:line:col`.',
    ...kinds.flatMap(([prefix, title]) => [`### ${title}`, formatCodeTable(findCodes(prefix))]),
    '## Causes that stop a run',
    'Nothing new is submitted and nothing is lost. Fix the cause. Then resume the run if it is paused (`renderline resume RUN`); otherwise start the run again.',
    formatFailureTable(knownFailures.filter(isRunCause)),
    '## Failures of an asset',
    '`renderline failures RUN` lists the failures of a run by cause. `renderline rerun RUN --failed` [processes them again](runs.md#rerun-failed-assets), each from the step where it stopped. Complete assets are not processed twice.',
    formatFailureTable(
      knownFailures.filter(
        (failure) => failure.scope === 'asset' && !separateFailures.has(failure),
      ),
    ),
    '### Refused before upload',
    'The file itself has a problem; nothing was sent or billed.',
    formatFailureTable(inspection),
    '### Uploaded with a warning',
    formatFailureTable(warnings),
    '### Files and folders',
    formatFailureTable(fileFailures),
    '## Errors of a command',
    'With `--json` the output has the schema `renderline/error/v1` and contains the code.',
    endTable(knownFailures.filter(({ scope }) => scope === 'command')),
    '## Codes of the platform',
    'Codes of the platform are passed through unchanged if no code above is more specific. Server errors, broken connections and an exhausted allowance are retried automatically.',
    formatTable(
      ['code', 'status', 'means', 'what to do', 'of every operation'],
      Object.entries(errorCodes).map(([name, { status, condition }]) => [
        formatAnchoredCode(name),
        String(status),
        condition,
        platformFailureOf({ code: name, status }).fix,
        commonErrors.some((common) => common === name) ? 'yes' : '',
      ]),
    ),
  );
  // If a code is in two tables, only the first occurrence gets the anchor.
  const seenAnchors = new Set<string>();
  return text.replaceAll(/<a id="[^"]+"><\/a>/g, (anchor) => {
    const isNew = !seenAnchors.has(anchor);
    seenAnchors.add(anchor);
    return isNew ? anchor : '';
  });
}

/** True if the failure pauses the run. False if it is only retried, as when a connector does not respond. */
function isRunCause(failure: KnownFailure): boolean {
  return failure.stops !== null || (failure.scope === 'run' && !separateFailures.has(failure));
}

function findCodes(prefix: string): (readonly [string, CodeText])[] {
  return Object.entries<CodeText>(problemCodes).filter(([name]) => name.startsWith(prefix));
}

function formatCodeTable(entries: readonly (readonly [string, CodeText])[]): string {
  const rows = entries.map(([name, { title, fix }]) => [formatAnchoredCode(name), title, fix]);
  return formatTable(['code', 'means', 'what to do'], rows);
}

function formatFailureTable(failures: readonly KnownFailure[]): string {
  return formatCodeTable(failures.map((failure) => [failure.code, failure]));
}

function endTable(failures: readonly KnownFailure[]): string {
  const rows = failures.map((failure) => {
    const { title, fix, exit } = failure;
    return [
      formatAnchoredCode(failure.code),
      String(exit),
      title,
      fix.replaceAll('\n', '; ').replaceAll(/ {2,}/g, ' '),
    ];
  });
  return formatTable(['code', 'exit code', 'means', 'what to do'], rows);
}

/** Formats a code with the anchor that `docsLinkOf` links to. */
function formatAnchoredCode(name: string): string {
  return `<a id="${anchorOf(name)}"></a>${toCode(name)}`;
}
