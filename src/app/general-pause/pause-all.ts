// Begins a general pause, then pauses its schedules and open runs. Repeating it completes an interrupted pause.
import { causeOfPause, type GeneralPause } from '../../plan/run/general-pause.ts';
import type { TemporalConnection } from '../../temporal/connection/connect.ts';
import { listEventTriggers } from '../../temporal/runs/event-triggers.ts';
import { beginGeneralPause, readGeneralPause } from '../../temporal/runs/general-pause.ts';
import { findWorkers } from '../../temporal/worker-presence.ts';
import type { App } from '../app.ts';
import { withTemporal } from '../temporal-client.ts';
import { type HeldSchedules, holdSchedules } from './held-schedules.ts';
import { chooseScope, isPipelineInScope } from './pause-scope.ts';
import { signalOpenRuns } from './signal-runs.ts';

export interface PauseAllResult {
  schema: 'renderline/pause-all/v1';
  pause: GeneralPause;
  /** False if a pause was already in force, whose reason is then kept. */
  isNew: boolean;
  /** Number of open runs that were asked to pause. */
  runs: number;
  schedules: HeldSchedules;
  /** Pipelines whose event triggers hold back their events. */
  eventTriggers: string[];
  /** Number of workers on the task queue. Without a worker, no run reacts to the pause. */
  workers: number;
}

export interface PauseAllOptions {
  /** Pause only this pipeline. @default all pipelines of the task queue */
  pipeline?: string | undefined;
  reason: string;
}

export async function pauseAll(
  app: App,
  { pipeline, reason }: PauseAllOptions,
): Promise<PauseAllResult> {
  const scope = await chooseScope(app, pipeline);
  const { taskQueue } = scope;
  const task = async ({ client }: TemporalConnection): Promise<PauseAllResult> => {
    const existingPause = await readGeneralPause(client, scope);
    // After this call, workers and commands start nothing new. The following calls pause schedules and open runs.
    const pause = await beginGeneralPause(client, scope, reason);
    const schedules = await holdSchedules(client, pause);
    const note = { reason: pause.reason, general: causeOfPause(pause) };
    const { pause: runs } = await signalOpenRuns(client, taskQueue, {
      signalOf: async (run, isKnown) =>
        isKnown || !isPipelineInScope(scope, run.pipeline) ? null : { action: 'pause', note },
      signal: app.signal,
    });
    const { readable, unreadable } = await listEventTriggers(client, taskQueue);
    const triggers = [...readable, ...unreadable].map((trigger) => trigger.pipeline);
    const { workers } = await findWorkers(client, taskQueue, app.now());
    return {
      schema: 'renderline/pause-all/v1',
      pause,
      isNew: existingPause === null,
      runs,
      schedules,
      eventTriggers: triggers.filter((name) => isPipelineInScope(scope, name)),
      workers,
    };
  };
  return withTemporal(app, task, { notesPauses: false });
}
