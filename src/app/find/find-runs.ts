import { escapeToOneLine } from '../../api/responses/plain-text.ts';
import { commandFailures } from '../../failures/commands.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { quoteForShell } from '../../plan/helpers/quote-for-shell.ts';
import { connectTemporal } from '../../temporal/connection/connect.ts';
import type { App } from '../app.ts';
import {
  type Explanation,
  explainUnlessUnauthorized,
  RenderlineError,
  usageError,
} from '../renderline-error.ts';
import { noteUnreadable } from '../unreadable-payload.ts';
import { locateRecords, locateRecordsOfFile, readKnownRuns } from './record-locations.ts';
import { type SearchedRecords, searchRecords } from './search-records.ts';
import { describeRun, type FoundRun, findByFailedModel, readState } from './temporal-lookup.ts';

export interface FindOptions {
  /** Pipeline file whose records are searched. @default all known records */
  file?: string | undefined;
  parameters?: Readonly<Record<string, string>> | undefined;
  /** Lists only runs of this pipeline. Cannot be combined with `file`. */
  pipeline?: string | undefined;
}

export interface FindShape {
  schema: 'renderline/find/v1';
  id: string;
  kind: string | null;
  found: FoundRun[];
  searched: SearchedRecords[];
}

/**
 * Finds the runs and assets that a platform id belongs to.
 * @throws RenderlineError if there are none, or if the text is not an id
 */
export async function findRuns(
  app: App,
  id: string,
  { file, parameters, pipeline }: FindOptions = {},
): Promise<{ shape: FindShape; errors: Explanation[] }> {
  checkId(id);
  if ((file === undefined && parameters) || (file !== undefined && pipeline !== undefined)) {
    throw usageError(
      '--param requires a file, and --pipeline cannot be combined with a file.',
      'renderline find ID FILE --param name=value, or: renderline find ID --pipeline NAME',
    );
  }
  await app.usePlugins();
  const fileLocations =
    file === undefined ? null : await locateRecordsOfFile(app, file, parameters ?? {});
  let connectionError: unknown;
  const temporal = await connectTemporal({ env: app.env }).catch((error: unknown) => {
    connectionError = error;
    return null;
  });
  try {
    const scope = fileLocations === null ? 'all' : 'open';
    const knownRuns = temporal && (await readKnownRuns(temporal.client, scope));
    if (fileLocations === null) noteUnreadable(app, 'run', knownRuns?.unreadable ?? []);
    const search =
      fileLocations ?? (await locateRecords(app, knownRuns?.locations ?? [], pipeline));
    // Without Temporal and without known records, there is nothing to search.
    if (search.locations.length === 0 && knownRuns === null) throw connectionError;
    if (temporal === null) {
      const { message } = explainUnlessUnauthorized(connectionError);
      app.note(`Run states and UI links are unavailable: ${message}`);
    }
    // Without Temporal, all runs are treated as open, so that their records are searched in full.
    const isOpen = (run: string) => knownRuns?.openRuns.has(run) ?? true;
    const searched: SearchedRecords[] = [];
    const errors: Explanation[] = [];
    const foundRuns: FoundRun[] = [];
    for (const location of search.locations) {
      const result = await searchRecords(app, location, id, isOpen);
      searched.push(result.searched);
      if (result.error !== null) errors.push(result.error);
      for (const run of result.found) foundRuns.push(await describeRun(app, temporal, run));
    }
    const failedRuns =
      temporal === null ? [] : await findByFailedModel(app, temporal, id, foundRuns, pipeline);
    foundRuns.push(...failedRuns);
    if (foundRuns.length === 0) {
      const state = await readState(temporal, id);
      const isRun = state !== null && state !== 'gone';
      const hints = isRun
        ? [`This is the id of a run: renderline show ${id}`]
        : search.unlocated.map(
            (name) =>
              `The records of ${name} are unknown, because it needs parameters or is invalid: renderline find ID ${quoteForShell(name)} --param name=value`,
          );
      throw notFoundError(id, searched, errors, hints);
    }
    const kinds = foundRuns.flatMap(({ assets }) => assets.map((asset) => asset.kind));
    const specificKind = kinds.find((idKind) => idKind !== 'object') ?? kinds[0];
    const kind = specificKind ?? (failedRuns.length > 0 ? 'model' : null);
    return {
      shape: { schema: 'renderline/find/v1', id, kind, found: foundRuns, searched },
      errors,
    };
  } finally {
    await temporal?.close();
  }
}

/** Creates an error that lists the searched locations. If a read failed, the error has the code of that failure. */
function notFoundError(
  id: string,
  searched: readonly SearchedRecords[],
  errors: readonly Explanation[],
  hints: readonly string[],
): RenderlineError {
  const [error] = errors;
  const lines =
    searched.length === 0 ? ['No records were found to search.'] : searched.map(formatSearched);
  const fix = ['Searched:', ...lines.map((line) => `  ${line}`), ...hints];
  if (error !== undefined) fix.push(error.fix);
  const failure = error ?? commandFailures.ID_NOT_FOUND;
  return new RenderlineError(failure, `No searched run has the id ${id}.`, {
    fix: fix.join('\n'),
    details: { id, searched },
  });
}

function formatSearched(searched: SearchedRecords): string {
  const { pipeline, records, runs, objects, damaged, problem } = searched;
  const cut = damaged === 0 ? '' : `, ${damaged} of them truncated`;
  const result =
    problem === null
      ? `${formatCount(runs, 'run')}, ${formatCount(objects, 'object')}${cut}`
      : `could not be read: ${problem}`;
  return escapeToOneLine(`${pipeline} in ${records}: ${result}`);
}

const maxLength = 256;

/** @throws RenderlineError for text that cannot be an id. The message does not repeat a possible API key */
function checkId(id: string): void {
  const problem = explainInvalidId(id);
  if (problem !== null) throw new RenderlineError(commandFailures.NOT_AN_ID, problem);
}

function explainInvalidId(id: string): string | null {
  if (id === '') return 'The id is empty.';
  // API keys have this form.
  if (/^svc_[^_]+_.+/.test(id)) return 'This looks like an API key, not an id.';
  if (id.length > maxLength)
    return `This is longer than ${maxLength} characters, so it is not an id.`;
  if (/^https?:\/\//i.test(id)) return 'This is an address, not an id.';
  if (/[\s'"`\\/<>?#&=]|\p{Cc}/u.test(id)) {
    return `${JSON.stringify(id)} contains characters that no platform id has.`;
  }
  return null;
}
