// Makes schedules, event triggers and HTTP starts in Temporal match the pipeline files that declare them.
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Client } from '@temporalio/client';
import { escapeToOneLine } from '../../api/responses/plain-text.ts';
import { pipelineOfSchedule, scheduleName } from '../../compile/schedule.ts';
import { commandFailures } from '../../failures/commands.ts';
import { ownObjectsLookbackMs } from '../../store/calls/own-objects.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import { hasPrivateNames } from '../../temporal/private-names.ts';
import { listRecordsLocations } from '../../temporal/runs/records-locations.ts';
import { findWorkers } from '../../temporal/worker-presence.ts';
import type { App } from '../app.ts';
import { waitUntilCurrent } from '../deployments/wait-until-current.ts';
import { noteMissingSecrets } from '../missing-secrets.ts';
import { RenderlineError } from '../renderline-error.ts';
import { chooseRunTarget, type RunTarget } from '../run-target.ts';
import { readSearchAttributeSupport } from '../runs/start-run.ts';
import { dayWarningsOf } from '../schedules/calendars.ts';
import { withTemporal } from '../temporal-client.ts';
import {
  type AppliedFiles,
  readAppliedFiles,
  type ScheduledFile,
  withWorkspaceInFiles,
} from './applied-files.ts';
import { findProducerWarnings } from './find-producer-warnings.ts';
import { planHttpStart, planUndeclaredHttpStarts } from './http-start-changes.ts';
import { applyChange, type PipelineChange, type PlannedChange } from './planned-change.ts';
import {
  applyScheduleChange,
  type PlannedScheduleChange,
  planDeclaredSchedules,
  planUndeclaredSchedules,
  type ScheduleChange,
} from './schedule-changes.ts';
import { planEventTrigger, planUndeclaredTriggers } from './trigger-changes.ts';

export interface ApplyOptions {
  /** Remove schedules, event triggers and HTTP starts of the task queue that no file declares. */
  prune?: boolean | undefined;
  /** First wait until new runs go to this program's build. */
  whenCurrent?: boolean | undefined;
}

/** How Temporal differs from the files, and what is needed to apply the files. */
export interface ApplyPreview {
  shape: {
    schema: 'renderline/apply/v1';
    /** False once the changes have been applied. */
    dryRun: boolean;
    taskQueue: string;
    changes: ScheduleChange[];
    eventTriggers: PipelineChange[];
    httpStarts: PipelineChange[];
    warnings: string[];
  };
  /** Time zones of the declared schedules, by schedule name. */
  timezones: ReadonlyMap<string, string>;
  schedules: PlannedScheduleChange[];
  eventTriggers: PlannedChange[];
  httpStarts: PlannedChange[];
}

/**
 * Compares files with Temporal. Changes nothing.
 * @param paths folders of pipeline files, or single files
 * @throws RenderlineError if a file is invalid, if `prune` is set and a path is not a folder, or if an event trigger or
 * HTTP start is on another task queue
 */
export async function previewApply(
  app: App,
  paths: readonly string[],
  { prune = false, whenCurrent = false }: ApplyOptions,
): Promise<ApplyPreview> {
  const areFolders = await areAllFolders(app, paths);
  if (prune && !areFolders) {
    const message =
      '--prune needs folders: a single file does not show which schedules are obsolete.';
    throw new RenderlineError(commandFailures.PRUNE_NEEDS_FOLDERS, message);
  }
  const appliedFiles = await readAppliedFiles(app, paths);
  const plans = [...appliedFiles.scheduled, ...appliedFiles.eventTriggered].map(({ plan }) => plan);
  noteMissingSecrets(app, plans);
  const runsAt = await chooseRunTarget(app);
  const files = withWorkspaceInFiles(appliedFiles, runsAt);
  const { taskQueue } = runsAt;
  return withTemporal(app, async (temporal) => {
    const { client } = temporal;
    if (whenCurrent) await waitUntilCurrent(app, client, taskQueue);
    const target = {
      taskQueue,
      areNamesHidden: hasPrivateNames(client),
      ...(await readSearchAttributeSupport(temporal)),
    };
    const undeclared = areFolders ? { prune } : null;
    const declaredSchedules = files.scheduled.map((schedule) => ({ ...schedule, ...target }));
    const schedules = await planDeclaredSchedules(client, declaredSchedules, app.now());
    schedules.push(...(await planUndeclaredSchedules(client, files, taskQueue, undeclared)));
    const eventTriggers: PlannedChange[] = [];
    for (const file of files.eventTriggered)
      eventTriggers.push(await planEventTrigger(client, file, target));
    eventTriggers.push(...(await planUndeclaredTriggers(client, files, taskQueue, undeclared)));
    const httpStarts: PlannedChange[] = [];
    for (const file of files.httpStarted)
      httpStarts.push(await planHttpStart(client, file, taskQueue));
    httpStarts.push(...(await planUndeclaredHttpStarts(client, files, taskQueue, undeclared)));
    noteManualFiles(app, files, schedules, eventTriggers);
    const changesOf = <Change>(planned: readonly { change: Change }[]) =>
      planned.map(({ change }) => change);
    return {
      shape: {
        schema: 'renderline/apply/v1',
        dryRun: true,
        taskQueue,
        changes: changesOf(schedules),
        eventTriggers: changesOf(eventTriggers),
        httpStarts: changesOf(httpStarts),
        warnings: [
          ...scheduleDayWarningsOf(files.scheduled, app.now()),
          ...(await findWarnings(app, client, files, runsAt)),
        ],
      },
      timezones: new Map(
        files.scheduled.map(({ plan, declaration }) => [
          scheduleName(plan.pipeline, declaration),
          declaration.timezone,
        ]),
      ),
      schedules,
      eventTriggers,
      httpStarts,
    };
  });
}

/**
 * Applies the changes of a preview.
 * @param options `canTakeOver` allows changes to schedules, event triggers and HTTP starts of files at other paths
 * @throws RenderlineError OF_ANOTHER_FILE before anything is changed, if that would need `canTakeOver`
 */
export async function applyChanges(
  app: App,
  { shape, schedules, eventTriggers, httpStarts }: ApplyPreview,
  { canTakeOver, reason }: { canTakeOver?: boolean | undefined; reason?: string | undefined },
): Promise<ApplyPreview['shape']> {
  if (!canTakeOver)
    assertNoTakeover([...shape.changes, ...shape.eventTriggers, ...shape.httpStarts]);
  return withTemporal(app, async ({ client }) => {
    const auditLog = { client, taskQueue: shape.taskQueue };
    const changes: ScheduleChange[] = [];
    for (const schedule of schedules)
      changes.push(await applyScheduleChange(auditLog, schedule, reason));
    const applyAll = async (subject: 'event-trigger' | 'http-start', all: PlannedChange[]) => {
      for (const planned of all) {
        const { pipeline } = planned.change;
        await applyChange(auditLog, { subject, name: pipeline, pipeline }, planned, reason);
      }
    };
    await applyAll('event-trigger', eventTriggers);
    await applyAll('http-start', httpStarts);
    return { ...shape, dryRun: false, changes };
  });
}

async function areAllFolders(app: App, paths: readonly string[]): Promise<boolean> {
  const stats = await mapBounded(paths, (path) => stat(resolve(app.cwd, path)));
  return stats.every((pathStats) => pathStats.isDirectory());
}

/** Notes each given file that declares no start, and whether a schedule or trigger still starts its runs. */
function noteManualFiles(
  app: App,
  { manual }: AppliedFiles,
  schedules: readonly PlannedScheduleChange[],
  eventTriggers: readonly PlannedChange[],
): void {
  const starting = [...schedules, ...eventTriggers].flatMap(({ change }) => {
    if (change.change !== 'undeclared') return [];
    return 'schedule' in change ? pipelineOfSchedule(change.schedule) : change.pipeline;
  });
  const pipelines = new Set<string | null>(starting);
  for (const { file, pipeline } of manual) {
    const effect = pipelines.has(pipeline)
      ? 'but a schedule or event trigger that was applied before still starts runs of its pipeline. To remove it, apply the folders of all pipelines: renderline apply DIR --prune'
      : 'so its runs start only manually.';
    const name = escapeToOneLine(file);
    app.note(`${name} has no \`schedule:\`, no \`on:\` and no \`start:\`, ${effect}`);
  }
}

function scheduleDayWarningsOf(files: readonly ScheduledFile[], nowMs: number): string[] {
  return files.flatMap(({ plan, declaration, days, calendars }) => {
    const scheduleDays = { ...days, calendars, timezone: declaration.timezone };
    const name = scheduleName(plan.pipeline, declaration);
    return dayWarningsOf(scheduleDays, nowMs).map((text) => `${name}: ${text}`);
  });
}

/** Warns about triggers that may mistake models of other pipelines in this namespace for foreign models. */
async function findWarnings(
  app: App,
  client: Client,
  { scheduled, eventTriggered }: AppliedFiles,
  { taskQueue, workspace }: RunTarget,
): Promise<string[]> {
  if (eventTriggered.every(({ plan }) => plan.eventTrigger?.includesOwn)) return [];
  const nowMs = app.now();
  const applied = scheduled.map(({ plan }) => ({ ...plan, taskQueue }));
  const scope = { taskQueue, workspace };
  const recentLocations = await listRecordsLocations(client, scope, nowMs - ownObjectsLookbackMs);
  const { hosts } = await findWorkers(client, taskQueue, nowMs, 'activities');
  const producers = [...applied, ...recentLocations];
  return findProducerWarnings(eventTriggered, producers, { taskQueue, hosts });
}

/** @throws RenderlineError before anything is changed, if another file owns a schedule, event trigger or HTTP start */
function assertNoTakeover(changes: readonly (ScheduleChange | PipelineChange)[]): void {
  const taken = changes.flatMap((change) => {
    const { takenFrom, file } = change;
    const name = 'schedule' in change ? change.schedule : change.pipeline;
    return takenFrom === null ? [] : [{ name, takenFrom, file }];
  });
  if (taken.length === 0) return;
  const owners = taken.map(({ name, takenFrom }) => `"${name}" belongs to ${takenFrom}`);
  throw new RenderlineError(
    commandFailures.OF_ANOTHER_FILE,
    `Nothing was changed: ${owners.join('; ')}.`,
    { details: { taken } },
  );
}
