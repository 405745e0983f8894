// Shows the orphaned resources of a pipeline, asks for confirmation, and deletes them.
import type { Client } from '../../api/client.ts';
import { RequestCounter } from '../../api/counter.ts';
import { workspaceOf } from '../../api/workspace.ts';
import { openRunStore } from '../../capabilities/run-store.ts';
import { openConnector } from '../../connectors/index.ts';
import { commandFailures } from '../../failures/commands.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { type Deleted, deleteOrphans } from '../../machinery/cleaning/delete-orphans.ts';
import { refuseOthersRecords } from '../../machinery/own-records.ts';
import { count } from '../../plan/count.ts';
import { placeOf } from '../../plan/place.ts';
import type { Plan } from '../../plan/types.ts';
import { recordName } from '../../store/objects/object-name.ts';
import { thingsOfRecord } from '../../store/records/earlier-work.ts';
import type { AssetRecord } from '../../store/records/records.ts';
import { thingId } from '../../store/records/thing-id.ts';
import type { Orphan } from '../../store/search/find-orphans.ts';
import { confirm } from '../confirm.ts';
import { CliError, explainError } from '../exit.ts';
import { nowAndThen } from '../now-and-then.ts';
import { withPlatform } from '../platform-client.ts';
import { spelledOut } from '../screen-text.ts';
import type { Session } from '../session.ts';
import { type Look, lookWith, type Runs, searchOf, stillOrphans } from './look.ts';
import { previewText, tally } from './words.ts';

export interface CleanOptions {
  /** Path of the pipeline file as given on the command line. */
  file: string;
  olderThan: string;
  olderThanMs: number;
  /** Also delete resources of colorways that no longer exist. */
  removedColorways: boolean;
  dryRun: boolean;
  yes: boolean;
  /** Writes the deletion to the audit log, then does the work. */
  record<T>(details: object, work: () => Promise<T>): Promise<T>;
}

export async function cleanPipeline(
  session: Session,
  plan: Plan,
  options: CleanOptions,
  runs: Runs,
): Promise<number> {
  const { output } = session;
  const search = await searchOf(session, plan, runs, options);
  return withPlatform(session, async (client) => {
    const signal = session.io.interrupts.forced;
    await refuseOthersRecords(openConnector(plan.records), () => workspaceOf(client, { signal }));
    const found = await search();
    for (const place of found.absent) {
      output.note(
        `${spelledOut(place)} does not exist, so what pipelines with records there use is not known.`,
      );
    }
    const requests = new RequestCounter();
    const { pipeline } = plan;
    const look = await lookWith(session, client, found, { pipeline, ...options, requests });
    const shape = shapeOf(plan, look, options);
    const preview = () => previewText(look, session.io.now(), output.paint);
    const forgets = options.removedColorways && found.removed.length > 0;
    if (options.dryRun || (look.there.length === 0 && !forgets)) {
      const nothing = { usedSince: [], deleted: [], refused: [], requests: requests.snapshot() };
      output.answer({ ...shape, ...nothing }, preview);
      return exitCode.done;
    }
    if (!output.json) output.raw(preview());
    const records = forgets ? ` and ${count(found.removed.length, 'record')}` : '';
    await confirm(session, `Delete ${tally(look.there)}${records}?`, options.yes);
    // Searches again, because runs may have started while the person decided.
    const now = options.yes ? found : await search();
    const wanted = stillOrphans(look.there, now);
    const what = { deletes: tally(wanted), things: wanted.map(({ kind, id }) => `${kind} ${id}`) };
    const { deleted, refused } = await options.record(what, async () => {
      const end = await deleteAll(session, client, wanted, requests);
      if (forgets) await forget(plan, now.removed, [...look.gone, ...end.deleted]);
      return end;
    });
    const usedSince = look.there.filter((orphan) => !wanted.includes(orphan)).map(nameOf);
    const end = {
      usedSince,
      deleted: deleted.map(nameOf),
      refused: refused.map(({ orphan, code, message }) => ({ ...nameOf(orphan), code, message })),
      requests: requests.snapshot(),
    };
    output.answer({ ...shape, ...end }, () => endText(deleted, spelledOut(end)));
    return refused.length > 0 ? exitCode.partial : exitCode.done;
  });
}

/** Deletes the records of removed cells whose projects no longer exist on the platform. */
async function forget(
  { pipeline, recipe, records }: Plan,
  removed: readonly AssetRecord[],
  gone: readonly Orphan[],
): Promise<void> {
  const context = { run: 'clean', lineage: 'clean', pipeline, recipe };
  const store = openRunStore(openConnector(records), context);
  const isGone = new Set(gone.map(thingId));
  for (const record of removed) {
    const projects = thingsOfRecord(record).filter(({ kind }) => kind === 'project');
    if (!projects.every((project) => isGone.has(thingId(project)))) continue;
    await store.records.remove(recordName(record.key, record.source.version, record.recipe));
  }
}

/** @throws CliError if the deletion stops early; the same command continues it */
async function deleteAll(
  session: Session,
  client: Client,
  wanted: readonly Orphan[],
  requests: RequestCounter,
): Promise<Deleted> {
  const signal = session.io.interrupts.take();
  const words = (done: number) => `${done} of ${wanted.length} deleted`;
  const onDeleted = nowAndThen(session, words);
  const end = await deleteOrphans(client, wanted, { requests, signal, onDeleted });
  const { deleted, left, error } = end;
  if (left.length === 0) return end;
  const told = error === null ? interrupted : explainError(error);
  const fix = [told.fix, 'Repeat the command to delete the rest.'].filter(Boolean).join('\n');
  throw new CliError(
    told,
    `${told.message} Deleted before that: ${tally(deleted)}; remaining: ${tally(left)}.`,
    { fix, details: { deleted: deleted.map(nameOf), left: left.map(nameOf) } },
  );
}

const interrupted = { ...commandFailures.INTERRUPTED, message: 'Interrupted.', fix: '' };

function shapeOf({ pipeline, records }: Plan, look: Look, options: CleanOptions) {
  const { there, held, young, looked, removed } = look;
  const { olderThan, dryRun } = options;
  return {
    schema: 'renderline/clean/v1',
    pipeline,
    records: placeOf(records),
    dryRun,
    olderThan,
    looked,
    orphans: there,
    held: held.map(({ orphan, projectId }) => ({ ...orphan, projectId })),
    young,
    removed,
  };
}

function nameOf({ kind, id }: Orphan): Pick<Orphan, 'kind' | 'id'> {
  return { kind, id };
}

function endText(
  deleted: readonly Orphan[],
  end: {
    usedSince: { kind: string; id: string }[];
    refused: { kind: string; id: string; message: string }[];
  },
): string {
  return [
    `Deleted: ${tally(deleted)}.`,
    ...end.usedSince.map(({ kind, id }) => `Kept: ${kind} ${id}, which is in use again.`),
    ...end.refused.map(({ kind, id, message }) => `Refused: ${kind} ${id}: ${message}`),
  ].join('\n');
}
