import type { StepInput, WaitRules } from '../../plan/shard/step-contract.ts';
import type { EarlierResults, StepAsset } from '../../plan/types.ts';
import type { AssetState } from './asset-states.ts';

/** Returns the assets in the order of `states`, which is the order of the step's input. */
export function stepAssets(
  states: readonly AssetState[],
  {
    step,
    wait,
  }: {
    step: Pick<StepInput['step'], 'timeoutMs' | 'isSideStep'>;
    wait: Pick<WaitRules, 'enteredAtMs'> | null;
  },
): StepAsset[] {
  return states.map((state, index) => {
    const { key, source, platformIds } = state;
    const enteredAtMs = wait?.enteredAtMs[index];
    const waits =
      enteredAtMs === undefined ? {} : { enteredAtMs, deadlineMs: enteredAtMs + step.timeoutMs };
    return {
      key,
      source,
      platformIds,
      ...waits,
      ...(step.isSideStep ? { earlierResults: earlierResultsOf(state) } : {}),
    };
  });
}

/** Maximum number of files, and of warnings, that a side step receives for an asset: one notice covers a hundred. */
const maxFiles = 20;

function earlierResultsOf({ files, warnings }: AssetState): EarlierResults {
  const filesTotal = files.length;
  return { files: files.slice(0, maxFiles), filesTotal, warnings: warnings.slice(0, maxFiles) };
}
