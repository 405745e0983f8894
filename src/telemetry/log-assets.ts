// Logs the outcome of single assets: a line for each step of each asset, and one for its end.
import { createHash } from 'node:crypto';
import { omitUndefined } from '../plan/helpers/omit-undefined.ts';
import { type AssetOutcome, type AssetOutcomesEvent, assetOutcomeEvents } from './events.ts';
import type { Log } from './log-worker-events.ts';

/** `key`: lines contain the asset key. `hash`: lines contain only the hash of the key. */
export type AssetNaming = 'key' | 'hash';

/** Logs the outcomes of assets until the returned function is called. @param level log level of the lines */
export function logAssets(
  log: Pick<Log, 'info' | 'debug'>,
  { level, naming }: { level: 'info' | 'debug'; naming: AssetNaming },
): () => void {
  return assetOutcomeEvents.subscribe((event) => {
    const message = event.step === undefined ? 'asset finished' : 'asset';
    for (const asset of event.assets) log[level](fieldsOf(event, asset, naming), message);
  });
}

/** Returns the first 12 digits of `printf %s KEY | sha256sum`, which identify an asset's lines if keys are omitted. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 12);
}

function fieldsOf(
  { run, pipeline, shard, step }: AssetOutcomesEvent,
  { key, outcome, durationMs, node, code, modelId }: AssetOutcome,
  naming: AssetNaming,
) {
  const shownKey = naming === 'key' ? key : undefined;
  return omitUndefined({
    component: 'activity',
    run,
    pipeline,
    shard: shard + 1,
    node: step === undefined ? node : step.node,
    step: step?.id,
    type: step?.type,
    attempt: step?.attempt,
    key: shownKey,
    keyHash: hashKey(key),
    outcome,
    code,
    modelId,
    ms: durationMs === undefined ? undefined : Math.round(durationMs),
  });
}
