// Ends a general pause, then resumes schedules and open runs. Repeating it completes an interrupted resume.
import type { Client } from '@temporalio/client';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import { causeOfPause, type GeneralPause } from '../../plan/run/general-pause.ts';
import { pausedOutcome } from '../../plan/search-attributes.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import { countRefusedStarts } from '../../temporal/audit/refused-starts.ts';
import type { TemporalConnection } from '../../temporal/connection/connect.ts';
import { countHeldObjects } from '../../temporal/runs/count-held-objects.ts';
import { listEventTriggers } from '../../temporal/runs/event-triggers.ts';
import {
  endGeneralPause,
  findGeneralPause,
  listGeneralPauses,
  readGeneralPause,
} from '../../temporal/runs/general-pause.ts';
import type { App } from '../app.ts';
import { withTemporal } from '../temporal-client.ts';
import { type ReleasedSchedule, releaseSchedules } from './held-schedules.ts';
import { chooseScope, isPipelineInScope } from './pause-scope.ts';
import { signalOpenRuns } from './signal-runs.ts';

export interface ResumeAllResult {
  schema: 'renderline/resume-all/v1';
  taskQueue: string;
  pipeline: string | null;
  /** The pause that was ended. Null if there was none and only leftovers of an earlier attempt were resumed. */
  ended: GeneralPause | null;
  /** Number of open runs that were asked to continue. */
  runs: number;
  /** The resumed schedules, each with the number of starts that were missed during the pause. */
  schedules: ReleasedSchedule[];
  /**
   * Event triggers, each with the number of objects whose events it held back. A trigger now starts runs for these
   * objects, unless `isHeld` is true, which means that another general pause still holds the trigger.
   */
  eventTriggers: { pipeline: string; objects: number; isHeld: boolean }[];
  /** HTTP starts that the pause refused and callers retry. `isHeld`: another general pause still refuses them. */
  httpStarts: { pipeline: string; refused: number; isHeld: boolean }[];
  /** General pauses of the task queue that have not ended. */
  remaining: GeneralPause[];
}

export interface ResumeAllOptions {
  /** End the pause of this pipeline. @default the pause of the task queue */
  pipeline?: string | undefined;
  reason?: string | undefined;
}

export async function resumeAll(
  app: App,
  { pipeline, reason }: ResumeAllOptions,
): Promise<ResumeAllResult> {
  const scope = await chooseScope(app, pipeline);
  const { taskQueue } = scope;
  const task = async ({ client }: TemporalConnection): Promise<ResumeAllResult> => {
    const endedPause = await readGeneralPause(client, scope);
    const events = endedPause === null ? [] : await countHeld(client, endedPause);
    const starts = endedPause === null ? [] : await countRefusedStarts(client, endedPause);
    await endGeneralPause(client, scope, reason);
    // Each pause is read once from its workflow, because a list may lack a pause that began a moment ago.
    const pausesByName = new Map<string, Promise<GeneralPause | null>>();
    const findOther = (name: string) => {
      const other = pausesByName.get(name) ?? findGeneralPause(client, taskQueue, name);
      pausesByName.set(name, other);
      return other;
    };
    const schedules = await releaseSchedules(client, scope, findOther, app.now());
    const withHeld = async <T extends { pipeline: string }>(entry: T) => {
      return { ...entry, isHeld: (await findOther(entry.pipeline)) !== null };
    };
    const eventTriggers = await mapBounded(events, withHeld);
    const httpStarts = await mapBounded(starts, withHeld);
    const { resume: runs } = await signalOpenRuns(client, taskQueue, {
      signalOf: async (run, isKnown) => {
        if (!isPipelineInScope(scope, run.pipeline)) return null;
        // A known run gets a second signal only if it is paused: it was about to pause when the first signal arrived.
        if (isKnown && run.state !== pausedOutcome) return null;
        const other = await findOther(run.pipeline);
        const general = causeOfPause(
          other ?? endedPause ?? { ...scope, by: '', at: '', reason: '' },
        );
        const action = other === null ? 'resume' : 'pause';
        return { action, note: { ...omitUndefined({ reason }), general } };
      },
      signal: app.signal,
    });
    return {
      schema: 'renderline/resume-all/v1',
      taskQueue,
      pipeline: scope.pipeline,
      ended: endedPause,
      runs,
      schedules,
      eventTriggers,
      httpStarts,
      remaining: await readRemaining(client, taskQueue, pausesByName.values()),
    };
  };
  return withTemporal(app, task, { notesPauses: false });
}

async function countHeld(
  client: Client,
  pause: GeneralPause,
): Promise<{ pipeline: string; objects: number }[]> {
  const { readable } = await listEventTriggers(client, pause.taskQueue);
  const heldTriggers = readable.filter(({ pipeline }) => isPipelineInScope(pause, pipeline));
  return mapBounded(heldTriggers, async ({ pipeline, workflowId }) => {
    const objects = await countHeldObjects(client, workflowId, Date.parse(pause.at));
    return { pipeline, objects };
  });
}

/**
 * Returns the pauses of the task queue that are still in force: those of pipelines, and those in Temporal's list. The
 * list is needed because a pipeline without runs, schedules, event triggers or HTTP starts was not looked up. Each
 * listed pause is read, because the list may still contain a pause that has ended.
 */
async function readRemaining(
  client: Client,
  taskQueue: string,
  pauses: Iterable<Promise<GeneralPause | null>>,
): Promise<GeneralPause[]> {
  const ofQueue = (await listGeneralPauses(client)).filter(
    (pause) => pause.taskQueue === taskQueue,
  );
  const listedPauses = await mapBounded(ofQueue, (pause) => readGeneralPause(client, pause));
  const allPauses = [...(await Promise.all(pauses)), ...listedPauses];
  const remainingPauses = allPauses.filter((pause) => pause !== null);
  return [...new Map(remainingPauses.map((pause) => [pause.pipeline, pause])).values()];
}
