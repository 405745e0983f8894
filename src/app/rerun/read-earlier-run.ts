// Reads the run to rerun from Temporal.
import { commandFailures } from '../../failures/commands.ts';
import { rerunCommand } from '../../plan/run/rerun-command.ts';
import type { TemporalConnection } from '../../temporal/connection/connect.ts';
import { readRunInput } from '../../temporal/runs/read-run-input.ts';
import { RenderlineError } from '../renderline-error.ts';
import { readSnapshot } from '../runs/run-snapshot.ts';
import type { EarlierRun } from './choose-plan.ts';

/**
 * @param options.mayBeOpen true accepts an open run, of which only failed assets are rerun
 * @throws RenderlineError if Temporal does not have the run and `file` is undefined, or if the run is open and
 *   `mayBeOpen` is false
 */
export async function readEarlierRun(
  { client }: TemporalConnection,
  run: string,
  { file, mayBeOpen }: { file: string | undefined; mayBeOpen: boolean },
): Promise<EarlierRun> {
  const snapshot = await readSnapshot(client, run).catch((error: unknown) => {
    if (!(error instanceof RenderlineError) || error.code !== 'RUN_NOT_FOUND') throw error;
    if (file !== undefined) return null;
    const fix = `${error.fix}\nIf Temporal no longer has the run: ${rerunCommand(run, { file: 'FILE', with: 'latest' })}`;
    throw new RenderlineError(error, error.message, { fix });
  });
  if (snapshot === null) return { run, temporalRun: null };
  if (snapshot.status === 'running' && !mayBeOpen) {
    throw new RenderlineError(commandFailures.RUN_OPEN, `The run ${run} has not ended.`, {
      fix: `Only what has failed so far: ${rerunCommand(run, { file, failed: true })}\nOr wait for it: renderline show ${run} --wait\nIf it is paused: renderline resume ${run}\nOr end it: renderline cancel ${run}`,
      details: { run },
    });
  }
  const start = await readRunInput(client, run);
  return { run, temporalRun: start && { snapshot, start } };
}
