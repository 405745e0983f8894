// Previews the work and cost of a run of selected assets.
import type { Limits } from '../../compile/pipeline.ts';
import type { Estimate } from '../../engine/cost/step-cost.ts';
import { commandFailures } from '../../failures/commands.ts';
import type { Selection } from '../../plan/run/selection.ts';
import type { Plan } from '../../plan/types.ts';
import type { App } from '../app.ts';
import { RenderlineError } from '../renderline-error.ts';
import { estimatePreview } from './estimate-preview.ts';
import { inspectPreview } from './inspected-preview.ts';
import { assertWithinLimits, type LimitOptions } from './limits.ts';
import { type Preview, previewAssets } from './preview-assets.ts';
import { formatSelection } from './selection.ts';
import { previewWithdrawal, type WithdrawalReport } from './withdrawal-preview.ts';

/** Estimated cost of a run. */
export interface CostTotals {
  /** Number of requests if the platform is as fast as usual. */
  requests: number;
  /** Number of requests if the platform is slow and the assets become ready one after another. */
  maxRequests: number;
  renders: number;
  /** True if `renders` is an upper bound, because some conditions or files can be checked only by the run. */
  max: boolean;
  /** Set if `renders` is a lower bound, because each variant of a production file is a render. */
  min?: true;
  seconds: number;
}

export interface ChosenPreview extends CostTotals {
  /** Number of assets that match the selection. */
  chosen: number;
  /** Number of selected assets that the run would process. */
  assets: number;
  new: number;
  changed: number;
  /** Number of unchanged assets that are processed again because of --force. */
  again: number;
  unchanged: number;
  later: number;
  refused: number;
  keys: string[];
  /** Absent if the pipeline withdraws nothing. */
  withdraws?: WithdrawalReport;
}

interface ChosenPreviewOptions {
  selection: Selection | null;
  limits: Limits;
  /** The values of `limits` that come from the options of the run, not from the file. */
  runLimits?: LimitOptions | undefined;
  verify: boolean;
  withdrawAll?: true | undefined;
  /** True if no run will be started, so the limits may be exceeded. */
  dryRun: boolean;
}

/** Previews the run. Writes nothing. @throws RenderlineError if no asset matches, or if a limit would be exceeded */
export async function previewChosen(
  app: App,
  plan: Plan,
  { selection, limits, runLimits, verify, withdrawAll, dryRun }: ChosenPreviewOptions,
): Promise<ChosenPreview> {
  const options = { selection, verify, withdrawAll: withdrawAll === true };
  const listedPreview = await previewAssets(app, plan, options);
  const inspectedPreview = await inspectPreview(app, plan, listedPreview);
  const withdraws = await previewWithdrawal(app, plan, listedPreview);
  const cost = await estimatePreview(app, plan, inspectedPreview);
  const preview = { ...summarizeChosen(inspectedPreview, cost), ...(withdraws && { withdraws }) };
  if (selection !== null) assertSomeChosen(selection, preview, plan.file);
  if (!dryRun) await assertWithinLimits(app, plan, { limits, ofRun: runLimits }, inspectedPreview);
  return preview;
}

type RunCost = Pick<Estimate, 'requests' | 'renders' | 'max' | 'min' | 'seconds'>;
export function summarizeChosen(preview: Preview, cost: RunCost): ChosenPreview {
  const { counts, assets, later, refused } = preview;
  const forcedCount = assets.filter(({ reason }) => reason === 'force').length;
  return {
    chosen: counts.total,
    assets: assets.length,
    new: counts.new,
    changed: counts.changed - forcedCount,
    again: forcedCount,
    unchanged: counts.unchanged,
    later: later.length,
    refused: refused.length,
    ...costTotalsOf(cost),
    keys: assets.map(({ key }) => key),
  };
}

export function costTotalsOf({ requests, renders, max, min, seconds }: RunCost): CostTotals {
  const bounds = { max, ...(min && { min }) };
  return { requests: requests.total, maxRequests: requests.max, renders, ...bounds, seconds };
}

/** @throws RenderlineError if no asset matches the selection */
export function assertSomeChosen(
  selection: Selection,
  { chosen }: ChosenPreview,
  file: string,
): void {
  if (chosen > 0 || (selection.only === undefined && selection.where === undefined)) return;
  throw new RenderlineError(
    commandFailures.NOTHING_CHOSEN,
    `No asset of ${file} matches: ${formatSelection(selection)}.`,
  );
}
