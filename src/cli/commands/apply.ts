// `renderline apply`: shows how Temporal's schedules and event triggers differ from the files, then makes them match.
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import type { Client } from '@temporalio/client';
import {
  type AppliedFiles,
  type EventTriggeredFile,
  readAppliedFiles,
  type ScheduledFile,
  withWorkspaceInFiles,
} from '../../app/apply/applied-files.ts';
import { waitUntilCurrent } from '../../app/deployments/wait-until-current.ts';
import {
  applyTriggerChange,
  type EventTriggerChange,
  type PlannedTriggerChange,
  planEventTrigger,
  planUndeclaredTriggers,
} from '../../app/event-triggers/changes.ts';
import { warnOfUnknownProducers } from '../../app/event-triggers/unknown-producers.ts';
import { RenderlineError } from '../../app/renderline-error.ts';
import { chooseRunTarget, type RunTarget } from '../../app/run-target.ts';
import {
  readSearchAttributeSupport,
  type SearchAttributeSupport,
} from '../../app/runs/start-run.ts';
import {
  applyScheduleChange,
  type PlannedScheduleChange,
  planScheduleChange,
  planUndeclaredSchedules,
  type ScheduleChange,
} from '../../app/schedules/changes.ts';
import { noteMissingSecrets } from '../../app/secret-notes.ts';
import { withTemporal } from '../../app/temporal-client.ts';
import { scheduleName } from '../../compile/schedule.ts';
import { commandFailures } from '../../failures/commands.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { ownObjectsLookbackMs } from '../../store/calls/own-objects.ts';
import { hidesNames } from '../../temporal/private-names.ts';
import { listRecordsLocations } from '../../temporal/runs/records-locations.ts';
import { findWorkers } from '../../temporal/worker-presence.ts';
import {
  formatCountsByKind,
  formatScheduleChanges,
  formatTriggerChanges,
} from '../format-changes.ts';
import { reasonOption } from '../params.ts';
import type { Session } from '../session.ts';
import { escapeForTerminal } from '../terminal-text.ts';

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
    throw new RenderlineError(
      commandFailures.PRUNE_NEEDS_FOLDERS,
      'A single file does not determine which schedules are obsolete.',
    );
  }
  const read = await readAppliedFiles(session, paths);
  noteMissingSecrets(
    session,
    [...read.scheduled, ...read.eventTriggered].map(({ plan }) => plan),
  );
  const runsAt = await chooseRunTarget(session);
  const files = withWorkspaceInFiles(read, runsAt);
  const { taskQueue } = runsAt;
  return withTemporal(session, async (temporal) => {
    const { client } = temporal;
    if (flags.whenCurrent === true) await waitUntilCurrent(session, client, taskQueue);
    const place = {
      taskQueue,
      hidesNames: hidesNames(client),
      ...(await readSearchAttributeSupport(temporal)),
    };
    const others = areFolders ? { prune } : null;
    const schedules = await planSchedules(session, client, files.scheduled, place, others);
    const eventTriggers = await planEventTriggers(client, files.eventTriggered, place, others);
    const changes = schedules.map(({ change }) => change);
    const triggerChanges = eventTriggers.map(({ change }) => change);
    const dryRun = flags.dryRun === true;
    const warnings = await warningsOf(session, client, files, runsAt);
    const { output } = session;
    for (const warning of warnings)
      output.note(`${output.paintNote('yellow', 'warning')} ${escapeForTerminal(warning)}`);
    const parts = [
      formatScheduleChanges(withZones(changes, files.scheduled), output.paint),
      formatTriggerChanges(triggerChanges, output.paint),
    ].filter((part) => part !== '');
    const difference = parts.join('\n') || 'No file has a `schedule:` or an `on:`.';
    if (!dryRun) {
      if (!output.json) output.raw(difference);
      if (flags.take !== true) refuseTaking([...changes, ...triggerChanges]);
      const { reason } = flags;
      for (const one of schedules) await applyScheduleChange({ client, taskQueue }, one, reason);
      for (const one of eventTriggers) await applyTriggerChange(client, one, place, reason);
    }
    const shape = {
      schema: 'renderline/apply/v1',
      dryRun,
      taskQueue,
      changes,
      eventTriggers: triggerChanges,
      warnings,
    };
    output.result(shape, () =>
      dryRun ? `${difference}\nNothing was changed.` : formatChangeCounts(changes, triggerChanges),
    );
    return exitCode.done;
  });
}

interface ApplyTarget extends SearchAttributeSupport {
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
): Promise<PlannedScheduleChange[]> {
  const planned: PlannedScheduleChange[] = [];
  for (const { file, ...own } of files) {
    planned.push(await planScheduleChange(client, file, { ...own, ...place }, session.io.now()));
  }
  const declared = {
    schedules: new Set(planned.map(({ change }) => change.schedule)),
    files: new Map(files.map((one) => [one.plan.pipeline, one])),
  };
  return [
    ...planned,
    ...(await planUndeclaredSchedules(client, declared, place.taskQueue, others)),
  ];
}

async function planEventTriggers(
  client: Client,
  files: readonly EventTriggeredFile[],
  { taskQueue }: ApplyTarget,
  others: { prune: boolean } | null,
): Promise<PlannedTriggerChange[]> {
  const planned: PlannedTriggerChange[] = [];
  for (const one of files) planned.push(await planEventTrigger(client, one, taskQueue));
  if (others === null) return planned;
  const declared = new Set(files.map(({ plan }) => plan.pipeline));
  return [...planned, ...(await planUndeclaredTriggers(client, declared, taskQueue, others.prune))];
}

/** Warns about triggers that may react to models and renders that runs of this namespace create themselves. */
async function warningsOf(
  session: Session,
  client: Client,
  { scheduled, eventTriggered }: AppliedFiles,
  { taskQueue, workspace }: RunTarget,
): Promise<string[]> {
  if (eventTriggered.every(({ plan }) => plan.eventTrigger?.includesOwn)) return [];
  const nowMs = session.io.now();
  const applied = scheduled.map(({ plan: { pipeline, records } }) => ({
    pipeline,
    records,
    taskQueue,
  }));
  const run = await listRecordsLocations(
    client,
    { taskQueue, workspace },
    nowMs - ownObjectsLookbackMs,
  );
  const { hosts } = await findWorkers(client, taskQueue, nowMs, 'activities');
  return warnOfUnknownProducers(eventTriggered, [...applied, ...run], { taskQueue, hosts });
}

/** @throws RenderlineError before anything is changed, if a schedule or event trigger belongs to another file */
function refuseTaking(changes: readonly (ScheduleChange | EventTriggerChange)[]): void {
  const taken = changes.flatMap((one) =>
    one.takenFrom === null
      ? []
      : [{ ...one, name: 'schedule' in one ? one.schedule : one.pipeline }],
  );
  if (taken.length === 0) return;
  const whose = taken.map(({ name, takenFrom }) => `"${name}" belongs to ${takenFrom}`);
  throw new RenderlineError(
    commandFailures.OF_ANOTHER_FILE,
    `Nothing was changed: ${whose.join('; ')}.`,
    {
      details: { taken: taken.map(({ name, takenFrom, file }) => ({ name, takenFrom, file })) },
    },
  );
}

function formatChangeCounts(
  changes: readonly ScheduleChange[],
  eventTriggers: readonly EventTriggerChange[],
): string {
  return [
    ...(changes.length > 0 || eventTriggers.length === 0
      ? [formatCountsByKind('schedule', changes)]
      : []),
    ...(eventTriggers.length > 0 ? [formatCountsByKind('event trigger', eventTriggers)] : []),
  ].join('\n');
}

async function allFolders(session: Session, paths: readonly string[]): Promise<boolean> {
  const stats = await Promise.all(paths.map((path) => stat(resolve(session.io.cwd, path))));
  return stats.every((one) => one.isDirectory());
}

function withZones(
  changes: readonly ScheduleChange[],
  files: readonly ScheduledFile[],
): (ScheduleChange & { timezone: string })[] {
  return changes.map((change) => {
    const file = files.find(
      ({ plan, declaration }) => scheduleName(plan.pipeline, declaration) === change.schedule,
    );
    return { ...change, timezone: file?.declaration.timezone ?? 'UTC' };
  });
}
