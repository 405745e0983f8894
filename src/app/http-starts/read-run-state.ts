// The state of a run for the program that requested it. Reads Temporal alone, so that frequent reads are cheap.
import { maxFailures, type RunState } from '../../receiver/runs/messages.ts';
import type { TemporalConnection } from '../../temporal/connection/connect.ts';
import type { App } from '../app.ts';
import { readFreshProgress } from '../runs/fresh-progress.ts';
import { type RunSnapshot, readRunEnd, readSnapshot } from '../runs/run-snapshot.ts';
import { withTemporal } from '../temporal-client.ts';

/** @returns null for a run of another pipeline or task queue @throws RenderlineError RUN_NOT_FOUND */
export async function readRunState(
  app: App,
  run: string,
  of: { pipeline: string; taskQueue: string },
): Promise<RunState | null> {
  const work = async ({ client }: TemporalConnection) => {
    const snapshot = await readSnapshot(client, run);
    if (snapshot.pipeline !== of.pipeline || snapshot.taskQueue !== of.taskQueue) return null;
    if (snapshot.status === 'running') {
      const progress = await readFreshProgress(client, run);
      const outcome = progress?.state === 'paused' ? 'paused' : 'running';
      return stateOf(snapshot, outcome, progress, progress?.totals ?? null);
    }
    const { result, cause, message } = await readRunEnd(client, snapshot);
    const ended = snapshot.status === 'completed' ? 'complete' : snapshot.status;
    const why = cause ?? (result === null && message !== '' ? { code: 'ENDED', message } : null);
    const known = { cause: why, failures: result?.failures ?? [] };
    return stateOf(snapshot, result?.outcome ?? ended, known, result?.assets ?? null);
  };
  return withTemporal(app, work, { notesPauses: false });
}

function stateOf(
  { run, pipeline, startedAtMs, endedAtMs }: RunSnapshot,
  outcome: RunState['outcome'],
  known: Pick<RunState, 'cause' | 'failures'> | null,
  counts: RunState['assets'],
): RunState {
  const { code = '', message = '' } = known?.cause ?? {};
  const failures = (known?.failures ?? []).slice(0, maxFailures);
  return {
    schema: 'renderline/http-run-state/v1',
    pipeline,
    run,
    outcome,
    startedAt: new Date(startedAtMs).toISOString(),
    endedAt: endedAtMs === null ? null : new Date(endedAtMs).toISOString(),
    assets: counts && pickCounts(counts),
    cause: code === '' ? null : { code, message },
    failures: failures.map(({ key, node, code, message }) => ({ key, node, code, message })),
  };
}

function pickCounts({ total, complete, failed, skipped }: NonNullable<RunState['assets']>) {
  return { total, complete, failed, skipped };
}
