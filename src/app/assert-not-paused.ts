// Refuses actions that would start or continue runs during a general pause of the task queue or the pipeline.
import type { Client } from '@temporalio/client';
import { runFailures } from '../failures/runs.ts';
import { causeOfPause, type GeneralPause } from '../plan/run/general-pause.ts';
import { findGeneralPause } from '../temporal/runs/general-pause.ts';
import { RenderlineError } from './renderline-error.ts';

/** @throws RenderlineError ALL_PAUSED, stating who paused, when and why, and the command that ends the pause */
export async function assertNotPaused(
  client: Client,
  taskQueue: string,
  pipeline: string,
): Promise<void> {
  const pause = await findGeneralPause(client, taskQueue, pipeline);
  if (pause !== null) throw generalPauseError(pause);
}

export function generalPauseError(pause: GeneralPause): RenderlineError {
  const { message, fix } = causeOfPause(pause);
  return new RenderlineError(runFailures.ALL_PAUSED, `${message}. Nothing was started.`, {
    fix,
    details: { pause },
  });
}
