// The page of everything that can go wrong, with what to do about it.
import { commonErrors, errorCodes } from '../api/error-codes.ts';
import { problemCodes } from '../language/codes.ts';
import { assetFailures, connectorFailures, fileWarnings, refusedFiles } from './failure-codes.ts';
import { code, generatedNote, page, table } from './markdown.ts';
import { runCauses } from './run-causes.ts';

type Texts = Readonly<Record<string, { readonly title: string; readonly fix: string }>>;

const kinds: readonly (readonly [prefix: string, title: string])[] = [
  ['RL1', 'The text'],
  ['RL2', 'Fields and values'],
  ['RL3', 'Names that refer to something'],
  ['RL4', 'The graph'],
  ['RL5', 'Expressions, globs and naming'],
  ['RL6', 'What only a run can check'],
  ['RL7', 'The schedule'],
];

export function errorsPage(): string {
  return page(
    generatedNote,
    '# Errors',
    'Codes are stable. [Problems of a pipeline file](#problems-of-a-pipeline-file) are found before anything is sent, [causes](#causes-that-stop-a-run) stop a run until somebody acts, [failures](#failures-of-an-asset) belong to one asset and leave the others alone. Exit codes are in [commands](commands.md#exit-codes).',
    '## Problems of a pipeline file',
    '`renderline validate` shows each as `file:line:col`.',
    ...kinds.flatMap(([prefix, title]) => [`### ${title}`, codeTable(ofKind(prefix))]),
    '## Causes that stop a run',
    'Nothing new is submitted and nothing is lost. Mend the cause, then `renderline resume RUN`.',
    codeTable(runCauses),
    '## Failures of an asset',
    '`renderline failures RUN` lists them by cause. `renderline rerun RUN --failed` [does them again](runs.md#doing-again-what-failed), each from where it stopped; what is complete is not done twice.',
    codeTable(assetFailures),
    '### Refused before upload',
    'The file itself is at fault; nothing was sent or spent.',
    codeTable(refusedFiles),
    '### Uploaded with a warning',
    codeTable(fileWarnings),
    '### Files and folders',
    codeTable(connectorFailures),
    '## Codes of the platform',
    'They pass through unchanged where nothing above is more exact. Server errors, a broken connection and a spent allowance are waited out and tried again by themselves.',
    table(
      ['code', 'status', 'means', 'of every operation'],
      Object.entries(errorCodes).map(([name, { status, condition }]) => [
        code(name),
        String(status),
        condition,
        commonErrors.some((common) => common === name) ? 'yes' : '',
      ]),
    ),
  );
}

function ofKind(prefix: string): Texts {
  return Object.fromEntries(
    Object.entries<Texts[string]>(problemCodes).filter(([name]) => name.startsWith(prefix)),
  );
}

function codeTable(texts: Texts): string {
  const rows = Object.entries(texts).map(([name, { title, fix }]) => [code(name), title, fix]);
  return table(['code', 'means', 'what to do'], rows);
}
