// Calls one activity of a step. Builds its input and its summary for the Temporal UI.
import { scheduleActivity } from '@temporalio/workflow';
import type { ShardInput } from '../../src/plan/contract/contract.ts';
import { textBytesOf } from '../../src/plan/helpers/bytes.ts';
import { omitUndefined } from '../../src/plan/helpers/omit-undefined.ts';
import type { StepEntry } from '../../src/plan/shard/cells.ts';
import type {
  Batching,
  StepConfig,
  StepInput,
  StepOutput,
} from '../../src/plan/shard/step-contract.ts';
import type { Step } from '../../src/plan/types.ts';
import { stepOptions } from '../activity-options.ts';

/** Maximum number of asset keys in a summary. */
const maxKeysShown = 3;
const summaryBytes = 190;

export interface StepCall {
  step: Step;
  /** Steps that the activity also runs. */
  chain: readonly Step[];
  entries: readonly StepEntry[];
  pages: string[];
  /** How a wait batches assets. Null for calls. */
  batching: Batching | null;
  keyOf: (assetIndex: number) => string;
}

export function callStep(
  { context, shard }: Pick<ShardInput, 'context' | 'shard'>,
  { step, chain, entries, pages, batching, keyOf }: StepCall,
): Promise<StepOutput> {
  const nowMs = Date.now();
  const lastEnteredAtMs =
    batching === null ? nowMs : Math.max(...entries.map((entry) => entry.enteredAtMs));
  const remainingMs = Math.max(lastEnteredAtMs + step.timeoutMs - nowMs, 0);
  const assets = entries.map(({ assetIndex }) => assetIndex);
  const names = [step, ...chain].map(({ id }) => id).join(' → ');
  const options = stepOptions(step, context, {
    summary: formatSummary(names, assets, keyOf),
    remainingMs,
    isWait: batching !== null,
    chainMs: chain.reduce((total, { startToCloseMs }) => total + startToCloseMs, 0),
  });
  const chainConfigs = chain.map((chainStep) => {
    return { ...stepConfigOf(chainStep), activity: chainStep.activity };
  });
  const input: StepInput = {
    context,
    shard,
    step: stepConfigOf(step),
    ...(chainConfigs.length > 0 ? { chain: chainConfigs } : {}),
    assets,
    pages,
    wait: batching && { ...batching, enteredAtMs: entries.map((entry) => entry.enteredAtMs) },
  };
  return scheduleActivity<StepOutput>(step.activity, [input], options);
}

function stepConfigOf(step: Step): StepConfig {
  const { id, node, when, config, batch, retry, timeoutMs } = step;
  const { isSideStep, onFailure, cells, demands, delivery } = step;
  return {
    id,
    node,
    when,
    config,
    batch,
    retry,
    timeoutMs,
    ...omitUndefined({ isSideStep, onFailure, cells, demands, delivery }),
  };
}

/** Formats a summary for the Temporal UI. Lists a few assets, or counts them if they are many or their names long. */
function formatSummary(steps: string, assets: readonly number[], keyOf: StepCall['keyOf']): string {
  const count = `${steps} · ${assets.length} ${assets.length === 1 ? 'asset' : 'assets'}`;
  if (assets.length > maxKeysShown) return count;
  const summary = `${steps} · ${assets.map(keyOf).join(', ')}`;
  return textBytesOf(summary) <= summaryBytes ? summary : count;
}
