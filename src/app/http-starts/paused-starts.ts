// Refuses HTTP starts during a general pause, and counts them for `resume --all`.
import type { Client } from '@temporalio/client';
import type { GeneralPause } from '../../plan/run/general-pause.ts';
import { recordRefusedStart } from '../../temporal/audit/refused-starts.ts';
import { findGeneralPause } from '../../temporal/runs/general-pause.ts';
import { generalPauseError } from '../assert-not-paused.ts';

/** Maximum number of refused starts that a receiver records per pause, so that the log of the pause stays short. */
export const maxCounted = 250;

interface RefusedStart {
  run: string;
  pipeline: string;
  /** Reason as in the audit log, including the caller. */
  reason: string;
}

interface PausedStartsDeps {
  find: typeof findGeneralPause;
  note: typeof recordRefusedStart;
}

export class PausedStarts {
  /** Runs counted during the latest pause, by its pipeline. The key null means the pause of the whole task queue. */
  readonly #runsByPipeline = new Map<string | null, { at: string; runs: Set<string> }>();
  readonly #deps: PausedStartsDeps;

  constructor(deps: PausedStartsDeps = { find: findGeneralPause, note: recordRefusedStart }) {
    this.#deps = deps;
  }

  /** Refuses and counts a start during a general pause. @throws RenderlineError ALL_PAUSED */
  async refuse(client: Client, taskQueue: string, start: RefusedStart): Promise<void> {
    const pause = await this.#deps.find(client, taskQueue, start.pipeline);
    if (pause === null) return;
    await this.#count(client, pause, start);
    throw generalPauseError(pause);
  }

  /** Counts a refused start. Callers retry, so each run is counted only once. */
  async #count(client: Client, pause: GeneralPause, start: RefusedStart): Promise<void> {
    const { run } = start;
    const { pipeline, at } = pause;
    const latest = this.#runsByPipeline.get(pipeline);
    const counted = latest?.at === at ? latest : { at, runs: new Set<string>() };
    this.#runsByPipeline.set(pipeline, counted);
    if (counted.runs.has(run) || counted.runs.size >= maxCounted) return;
    counted.runs.add(run);
    // If the start cannot be recorded, it is not counted until the caller retries.
    await this.#deps.note(client, pause, start).catch(() => counted.runs.delete(run));
  }
}
