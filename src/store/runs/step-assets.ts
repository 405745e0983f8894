// Builds the assets that a node receives for one of its steps. Pure.
import type { StepInput, WaitRules } from '../../plan/step-contract.ts';
import type { SoFar, StepAsset } from '../../plan/types.ts';
import type { AssetSheet } from './asset-sheets.ts';

/** In the order of the states, which is that of the input. */
export function stepAssets(
  sheets: readonly AssetSheet[],
  {
    step,
    wait,
  }: {
    step: Pick<StepInput['step'], 'timeoutMs' | 'aside'>;
    wait: Pick<WaitRules, 'enteredAtMs'> | null;
  },
): StepAsset[] {
  return sheets.map((sheet, index) => {
    const { key, source, refs } = sheet;
    const enteredAtMs = wait?.enteredAtMs[index];
    const waits =
      enteredAtMs === undefined ? {} : { enteredAtMs, deadlineMs: enteredAtMs + step.timeoutMs };
    return { key, source, refs, ...waits, ...(step.aside ? { soFar: soFarOf(sheet) } : {}) };
  });
}

/** Files and warnings of an asset that a side step receives, so that a hundred assets fit into one notice. */
const filesTold = 20;

function soFarOf({ files, warnings }: AssetSheet): SoFar {
  const filesTotal = files.length;
  return { files: files.slice(0, filesTold), filesTotal, warnings: warnings.slice(0, filesTold) };
}
