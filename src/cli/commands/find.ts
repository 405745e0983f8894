// `renderline find`: finds the runs and assets that an id of the platform belongs to.
import type { Command } from '@commander-js/extra-typings';
import { checkId } from '../../app/find/check-id.ts';
import { locateRecords, locateRecordsOfFile } from '../../app/find/record-locations.ts';
import { type SearchedRecords, searchRecords } from '../../app/find/search-records.ts';
import { TemporalLookup } from '../../app/find/temporal-lookup.ts';
import { type Explanation, RenderlineError } from '../../app/renderline-error.ts';
import { noteUnreadable } from '../../app/unreadable-note.ts';
import { commandFailures } from '../../failures/commands.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { formatMatches, formatSearchedRecords, type ShownRun } from '../find/format.ts';
import { collectOption, parsePairs } from '../params.ts';
import type { Session } from '../session.ts';
import { escapeForTerminal } from '../terminal-text.ts';

interface FindFlags {
  pipeline?: string | undefined;
  param?: string[] | undefined;
}

export function declareFind(command: Command, session: Session): void {
  command
    .argument('<id>', 'id of a model, project, render, job, batch, variant, production file, …')
    .argument('[file]', 'pipeline file whose records are searched (default: all known records)')
    .option('--pipeline <name>', 'only runs of this pipeline')
    .option('--param <name=value>', 'parameter of the file (repeatable)', collectOption)
    .action(session.action((id, file, flags) => find(session, id, file, flags)));
}

async function find(
  session: Session,
  id: string,
  file: string | undefined,
  { pipeline, param }: FindFlags,
): Promise<number> {
  checkId(id);
  if ((file === undefined && param) || (file !== undefined && pipeline !== undefined)) {
    throw new RenderlineError(
      commandFailures.USAGE,
      '--param requires a file, and --pipeline cannot be combined with a file.',
      { fix: 'renderline find ID FILE --param name=value, or: renderline find ID --pipeline NAME' },
    );
  }
  await session.usePlugins();
  const named =
    file === undefined
      ? null
      : await locateRecordsOfFile(session, file, parsePairs('--param', param));
  const temporal = await TemporalLookup.open(session);
  try {
    const known = await temporal.knownRuns(named === null ? 'all' : 'open');
    if (named === null) noteUnreadable(session, 'run', known?.unreadable ?? []);
    const search = named ?? (await locateRecords(session, known?.locations ?? [], pipeline));
    // Without Temporal and without known records there is nothing to search.
    if (search.locations.length === 0 && known === null) throw temporal.error;
    // Without Temporal all runs count as open, so that their records are searched in full.
    const isOpen = (run: string) => known?.open.has(run) ?? true;
    const looked: SearchedRecords[] = [];
    const errors: Explanation[] = [];
    const found: ShownRun[] = [];
    for (const place of search.locations) {
      const answer = await searchRecords(session, place, id, isOpen);
      looked.push(answer.looked);
      if (answer.error !== null) errors.push(answer.error);
      for (const one of answer.found) found.push(await temporal.describeRun(one));
    }
    const failed = await temporal.findByFailedModel(id, found, pipeline);
    found.push(...failed);
    if (found.length === 0) {
      const state = await temporal.readState(id);
      const isRun = state !== null && state !== 'gone';
      const hints = isRun
        ? [`It is the id of a run: renderline show ${id}`]
        : search.unlocated.map(formatMissingParametersHint);
      throw notFoundError(id, looked, errors, hints);
    }
    const kinds = found.flatMap(({ assets }) => assets.map((asset) => asset.kind));
    const specificKind = kinds.find((one) => one !== 'object') ?? kinds[0];
    const kind = specificKind ?? (failed.length > 0 ? 'model' : null);
    const shape = { schema: 'renderline/find/v1', id, kind, found, looked };
    session.output.result(shape, () => formatMatches(id, kind, found, session.output.paint));
    for (const { message } of errors)
      session.output.note(`Not searched: ${escapeForTerminal(message)}`);
    return exitCode.done;
  } finally {
    await temporal.close();
  }
}

function formatMissingParametersHint(file: string): string {
  return `The records of ${file} are unknown, because it needs parameters or is invalid: renderline find ID ${file} --param name=value`;
}

/** Lists what was searched. If a place could not be read, the error code is that of the read error, since the id may be there. */
function notFoundError(
  id: string,
  looked: readonly SearchedRecords[],
  errors: readonly Explanation[],
  hints: readonly string[],
): RenderlineError {
  const [error] = errors;
  const through =
    looked.length === 0 ? ['There was nothing to search.'] : formatSearchedRecords(looked);
  const fix = [
    'Searched:',
    ...through.map((line) => `  ${line}`),
    ...hints,
    ...(error === undefined ? [] : [error.fix]),
  ];
  const message = `No searched run has the id ${id}.`;
  const details = { id, looked };
  return new RenderlineError(error ?? commandFailures.ID_NOT_FOUND, message, {
    fix: fix.join('\n'),
    details,
  });
}
