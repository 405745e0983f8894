// The page of all failures, with their fixes.
import { commonErrors, errorCodes } from '../api/error-codes.ts';
import { knownFailures } from '../capabilities/failures.ts';
import type { KnownFailure } from '../failures/define.ts';
import { anchorOf } from '../failures/docs-address.ts';
import { fileWarnings, lookFailures } from '../failures/files.ts';
import { pathFailures, placeFailures } from '../failures/places.ts';
import { platformFailure } from '../failures/platform.ts';
import { problemCodes } from '../language/codes.ts';
import { code, generatedNote, page, table } from './markdown.ts';

interface Words {
  readonly title: string;
  readonly fix: string;
}

const kinds: readonly (readonly [prefix: string, title: string])[] = [
  ['RL1', 'The text'],
  ['RL2', 'Fields and values'],
  ['RL3', 'Names that refer to something'],
  ['RL4', 'The graph'],
  ['RL5', 'Expressions, globs and naming'],
  ['RL6', 'What only a run can check'],
  ['RL7', 'The schedule'],
  ['RL8', 'Test files'],
];

const looked = Object.values<KnownFailure>(lookFailures);
const warnings = Object.values<KnownFailure>(fileWarnings);
const places = Object.values<KnownFailure>({ ...pathFailures, ...placeFailures });
const elsewhere = new Set([...looked, ...warnings, ...places]);

export function errorsPage(): string {
  const text = page(
    generatedNote,
    '# Errors',
    'Codes are stable. [Problems of a pipeline file](#problems-of-a-pipeline-file) are found before anything is sent, [causes](#causes-that-stop-a-run) stop a run until somebody acts, [failures](#failures-of-an-asset) belong to one asset and leave the others alone, [ends](#ends-of-a-command) belong to one command. What to do is said by commands in the same words, and by `renderline explain CODE`; a message may know more. What exit codes mean is in [commands](commands.md#exit-codes).',
    '## Problems of a pipeline file',
    '`renderline validate` shows each as `file:line:col`.',
    ...kinds.flatMap(([prefix, title]) => [`### ${title}`, codeTable(ofKind(prefix))]),
    '## Causes that stop a run',
    'Nothing new is submitted and nothing is lost. Mend the cause, then `renderline resume RUN`.',
    failureTable(knownFailures.filter(isCause)),
    '## Failures of an asset',
    '`renderline failures RUN` lists them by cause. `renderline rerun RUN --failed` [does them again](runs.md#doing-again-what-failed), each from where it stopped; what is complete is not done twice.',
    failureTable(knownFailures.filter((one) => one.scope === 'asset' && !elsewhere.has(one))),
    '### Refused before upload',
    'The file itself is at fault; nothing was sent or spent.',
    failureTable(looked),
    '### Uploaded with a warning',
    failureTable(warnings),
    '### Files and folders',
    failureTable(places),
    '## Ends of a command',
    'With `--json` the code stands in the answer of schema `renderline/error/v1`.',
    endTable(knownFailures.filter(({ scope }) => scope === 'command')),
    '## Codes of the platform',
    'They pass through unchanged where nothing above is more exact. Server errors, a broken connection and a spent allowance are waited out and tried again by themselves.',
    table(
      ['code', 'status', 'means', 'what to do', 'of every operation'],
      Object.entries(errorCodes).map(([name, { status, condition }]) => [
        placed(name),
        String(status),
        condition,
        platformFailure({ code: name, status }).fix,
        commonErrors.some((common) => common === name) ? 'yes' : '',
      ]),
    ),
  );
  // A code that stands in two tables is found at the first.
  const seen = new Set<string>();
  return text.replaceAll(/<a id="[^"]+"><\/a>/g, (anchor) => {
    const isNew = !seen.has(anchor);
    seen.add(anchor);
    return isNew ? anchor : '';
  });
}

/** True where it pauses the run. A place that does not answer is only tried again. */
function isCause(one: KnownFailure): boolean {
  return one.stops !== null || (one.scope === 'run' && !elsewhere.has(one));
}

function ofKind(prefix: string): (readonly [string, Words])[] {
  return Object.entries<Words>(problemCodes).filter(([name]) => name.startsWith(prefix));
}

function codeTable(entries: readonly (readonly [string, Words])[]): string {
  const rows = entries.map(([name, { title, fix }]) => [placed(name), title, fix]);
  return table(['code', 'means', 'what to do'], rows);
}

function failureTable(failures: readonly KnownFailure[]): string {
  return codeTable(failures.map((failure) => [failure.code, failure]));
}

function endTable(failures: readonly KnownFailure[]): string {
  const rows = failures.map((failure) => {
    const { title, fix, exit } = failure;
    return [
      placed(failure.code),
      String(exit),
      title,
      fix.replaceAll('\n', '; ').replaceAll(/ {2,}/g, ' '),
    ];
  });
  return table(['code', 'exit code', 'means', 'what to do'], rows);
}

/** A code with the place that `docsOf` leads to. */
function placed(name: string): string {
  return `<a id="${anchorOf(name)}"></a>${code(name)}`;
}
