// `renderline apply`: shows how Temporal's schedules and event triggers differ from the files, then makes them match.
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import type { Client } from '@temporalio/client';
import { scheduleName } from '../../compile/schedule.ts';
import { commandFailures } from '../../failures/commands.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { ownLookBackMs } from '../../store/calls/own-objects.ts';
import { hidesNames } from '../../temporal/private-names.ts';
import { runPlaces } from '../../temporal/run-places.ts';
import { findWorkers } from '../../temporal/worker-presence.ts';
import {
  type AppliedFiles,
  type EventFile,
  placedFiles,
  readAppliedFiles,
  type ScheduledFile,
} from '../applied-files.ts';
import { untilCurrent } from '../deployments/until-current.ts';
import { CliError } from '../exit.ts';
import {
  type IntakeChange,
  makeIntakeChange,
  type PlannedIntake,
  planIntake,
  planOtherIntakes,
} from '../intakes/changes.ts';
import { unknownMakers } from '../intakes/unknown-makers.ts';
import { reasonOption } from '../params.ts';
import { type RunPlace, runPlace } from '../run-place.ts';
import { type Searchability, searchabilityOf } from '../runs/start-run.ts';
import {
  type Change,
  makeChange,
  type Planned,
  planOthers,
  planWanted,
} from '../schedules/changes.ts';
import { changesText, countsText, intakesText } from '../schedules/words.ts';
import { spelledOut } from '../screen-text.ts';
import { noteMissingSecrets } from '../secret-notes.ts';
import type { Session } from '../session.ts';
import { withTemporal } from '../temporal-session.ts';

interface ApplyFlags {
  dryRun?: true | undefined;
  prune?: true | undefined;
  take?: true | undefined;
  whenCurrent?: true | undefined;
  reason?: string | undefined;
}

export function declareApply(command: Command, session: Session): void {
  command
    .argument('<paths...>', 'folders of pipeline files, or single files')
    .option('--dry-run', 'only show the difference')
    .option(
      '--prune',
      'remove schedules and event triggers of this task queue that no file declares',
    )
    .option(
      '--take',
      'also change schedules and event triggers that belong to a file at another path',
    )
    .option('--when-current', 'first wait until this build is current for new runs')
    .option(...reasonOption)
    .action(session.action((paths, flags) => apply(session, paths, flags)));
}

async function apply(session: Session, paths: string[], flags: ApplyFlags): Promise<number> {
  const areFolders = await allFolders(session, paths);
  const prune = flags.prune === true;
  if (prune && !areFolders) {
    throw new CliError(
      commandFailures.PRUNE_NEEDS_FOLDERS,
      'A single file does not determine which schedules are obsolete.',
    );
  }
  const read = await readAppliedFiles(session, paths);
  noteMissingSecrets(
    session,
    [...read.scheduled, ...read.onEvents].map(({ plan }) => plan),
  );
  const runsAt = await runPlace(session);
  const files = placedFiles(read, runsAt);
  const { taskQueue } = runsAt;
  return withTemporal(session, async (temporal) => {
    const { client } = temporal;
    if (flags.whenCurrent === true) await untilCurrent(session, client, taskQueue);
    const place = {
      taskQueue,
      hidesNames: hidesNames(client),
      ...(await searchabilityOf(temporal)),
    };
    const others = areFolders ? { prune } : null;
    const schedules = await planSchedules(session, client, files.scheduled, place, others);
    const intakes = await planIntakes(client, files.onEvents, place, others);
    const changes = schedules.map(({ change }) => change);
    const ofIntakes = intakes.map(({ change }) => change);
    const dryRun = flags.dryRun === true;
    const warnings = await warningsOf(session, client, files, runsAt);
    const { output } = session;
    for (const warning of warnings)
      output.note(`${output.paintNote('yellow', 'warning')} ${spelledOut(warning)}`);
    const parts = [
      changesText(withZones(changes, files.scheduled), output.paint),
      intakesText(ofIntakes, output.paint),
    ].filter((part) => part !== '');
    const difference = parts.join('\n') || 'No file has a `schedule:` or an `on:`.';
    if (!dryRun) {
      if (!output.json) output.raw(difference);
      if (flags.take !== true) refuseTaking([...changes, ...ofIntakes]);
      const { reason } = flags;
      for (const one of schedules) await makeChange({ client, taskQueue }, one, reason);
      for (const one of intakes) await makeIntakeChange(client, one, place, reason);
    }
    const shape = {
      schema: 'renderline/apply/v1',
      dryRun,
      taskQueue,
      changes,
      intakes: ofIntakes,
      warnings,
    };
    output.answer(shape, () =>
      dryRun ? `${difference}\nNothing was changed.` : madeText(changes, ofIntakes),
    );
    return exitCode.done;
  });
}

interface ApplyTarget extends Searchability {
  taskQueue: string;
  hidesNames: boolean;
}

/** @param others how to treat schedules that no file declares; null: ignore them */
async function planSchedules(
  session: Session,
  client: Client,
  files: readonly ScheduledFile[],
  place: ApplyTarget,
  others: { prune: boolean } | null,
): Promise<Planned[]> {
  const planned: Planned[] = [];
  for (const { file, ...own } of files) {
    planned.push(await planWanted(client, file, { ...own, ...place }, session.io.now()));
  }
  const declared = {
    schedules: new Set(planned.map(({ change }) => change.schedule)),
    files: new Map(files.map((one) => [one.plan.pipeline, one])),
  };
  return [...planned, ...(await planOthers(client, declared, place.taskQueue, others))];
}

async function planIntakes(
  client: Client,
  files: readonly EventFile[],
  { taskQueue }: ApplyTarget,
  others: { prune: boolean } | null,
): Promise<PlannedIntake[]> {
  const planned: PlannedIntake[] = [];
  for (const one of files) planned.push(await planIntake(client, one, taskQueue));
  if (others === null) return planned;
  const declared = new Set(files.map(({ plan }) => plan.pipeline));
  return [...planned, ...(await planOtherIntakes(client, declared, taskQueue, others.prune))];
}

/** Warns about triggers that may react to models and renders that runs of this namespace create themselves. */
async function warningsOf(
  session: Session,
  client: Client,
  { scheduled, onEvents }: AppliedFiles,
  { taskQueue, workspace }: RunPlace,
): Promise<string[]> {
  if (onEvents.every(({ plan }) => plan.intake?.own)) return [];
  const nowMs = session.io.now();
  const applied = scheduled.map(({ plan: { pipeline, records } }) => ({
    pipeline,
    records,
    taskQueue,
  }));
  const run = await runPlaces(client, { taskQueue, workspace }, nowMs - ownLookBackMs);
  const { hosts } = await findWorkers(client, taskQueue, nowMs, 'activities');
  return unknownMakers(onEvents, [...applied, ...run], { taskQueue, hosts });
}

/** @throws CliError before anything is changed, if a schedule or event trigger belongs to another file */
function refuseTaking(changes: readonly (Change | IntakeChange)[]): void {
  const taken = changes.flatMap((one) =>
    one.takenFrom === null ? [] : [{ ...one, name: 'schedule' in one ? one.schedule : one.intake }],
  );
  if (taken.length === 0) return;
  const whose = taken.map(({ name, takenFrom }) => `"${name}" belongs to ${takenFrom}`);
  throw new CliError(commandFailures.OF_ANOTHER_FILE, `Nothing was changed: ${whose.join('; ')}.`, {
    details: { taken: taken.map(({ name, takenFrom, file }) => ({ name, takenFrom, file })) },
  });
}

function madeText(changes: readonly Change[], intakes: readonly IntakeChange[]): string {
  return [
    ...(changes.length > 0 || intakes.length === 0 ? [countsText('schedule', changes)] : []),
    ...(intakes.length > 0 ? [countsText('event trigger', intakes)] : []),
  ].join('\n');
}

async function allFolders(session: Session, paths: readonly string[]): Promise<boolean> {
  const stats = await Promise.all(paths.map((path) => stat(resolve(session.io.cwd, path))));
  return stats.every((one) => one.isDirectory());
}

function withZones(
  changes: readonly Change[],
  files: readonly ScheduledFile[],
): (Change & { timezone: string })[] {
  return changes.map((change) => {
    const file = files.find(
      ({ plan, declaration }) => scheduleName(plan.pipeline, declaration) === change.schedule,
    );
    return { ...change, timezone: file?.declaration.timezone ?? 'UTC' };
  });
}
