// One attempt of one step: skips assets whose `when` is false, runs the node, and polls a wait until something changes.
import { Context } from '@temporalio/activity';
import type { PollBudget } from '../../src/api/rate-limit/budget.ts';
import { toSafeMessage } from '../../src/api/responses/scrub.ts';
import { dropPrematureFailures } from '../../src/engine/consistency-window.ts';
import type { NodeContext } from '../../src/engine/node-context.ts';
import type { StepType } from '../../src/engine/node-type.ts';
import { parseOptions } from '../../src/engine/parse-options.ts';
import {
  computeLateIntervalMs,
  computeMsUntilInterval,
  pollIntervalForMs,
} from '../../src/engine/polling/poll-policy.ts';
import { failSharedId } from '../../src/engine/submit/shared-ids.ts';
import { fail } from '../../src/failures/fail.ts';
import { shareWork } from '../../src/features/grid/shared-work.ts';
import { takeDuplicateWarnings } from '../../src/plan/duplicate-warnings.ts';
import { formatCount } from '../../src/plan/helpers/format-count.ts';
import { omitUndefined } from '../../src/plan/helpers/omit-undefined.ts';
import type { StepInput, StepOutput, StepReport } from '../../src/plan/shard/step-contract.ts';
import type { AssetResult, StepAsset } from '../../src/plan/types.ts';
import { modelKeyOf } from '../../src/store/records/cell-keys.ts';
import { type AssetState, stepAssets } from '../../src/store/runs/asset-states.ts';
import type { RunStore } from '../../src/store/runs/run-store.ts';
import { reportResults } from '../../src/store/runs/step-report.ts';
import type { Deps } from '../deps.ts';
import { emitStep, emitStepResults } from '../emit-events.ts';
import { notReadyFailure, toFailure, withRequests } from '../failures.ts';
import { findRateLimitWait, withHeartbeats } from '../heartbeats.ts';
import { runClock } from '../run-clock.ts';
import { readLoadIfHigh } from '../worker-load.ts';
import { readAssetStates, writeAssetUpdates } from './asset-states.ts';
import { createNodeContext } from './create-node-context.ts';
import { recountDropped, rememberReport } from './dropped-reports.ts';
import { type FindStepType, runChain } from './run-chain.ts';
import { splitOffByCondition } from './split-off-by-condition.ts';

/** Runs a step and its chain. @param findStepType finds a step type of this worker by the name of its activity */
export async function runStep(
  stepType: StepType,
  input: StepInput,
  deps: Deps,
  findStepType: FindStepType,
): Promise<StepOutput> {
  const requests = deps.requestsOf(input.context.run);
  const startedAtMs = deps.monotonicNow();
  // The first call starts the clock of this attempt, so it must precede the work.
  runClock(deps);
  recountDropped(input, requests);
  try {
    return await withHeartbeats(
      async () => {
        const report = await attemptStep(stepType, input, deps);
        const chainResult = await runChain(input, report, {
          startedAtMs,
          typeOf: findStepType,
          attempt: attemptStep,
          deps,
        });
        const { byOperation } = requests.take();
        rememberReport(input, report, requests, byOperation);
        return { ...report, ...chainResult, requests: byOperation, ...readLoadIfHigh(deps) };
      },
      () => findRateLimitWait(deps.client),
    );
  } catch (error) {
    const failure = toFailure(error, Context.current().info.attempt, deps.secrets);
    throw withRequests(failure, requests);
  }
}

/** @param part distinguishes the asset updates of several steps in one activity */
function attemptStep(
  stepType: StepType,
  input: StepInput,
  deps: Deps,
  part = '',
): Promise<StepReport> {
  const { type } = stepType;
  const { secrets } = deps;
  return emitStep(input, { type, secrets }, () => runAttempt(stepType, input, deps, part));
}

async function runAttempt(
  stepType: StepType,
  input: StepInput,
  deps: Deps,
  part: string,
): Promise<StepReport> {
  const { step } = input;
  const startedAtMs = deps.monotonicNow();
  const states = await readAssetStates(input, deps, Context.current().cancellationSignal);
  const refusals = failRefused(states);
  const assets = stepAssets(states, input).filter(
    (_, index) => states[index]?.failures.has('') !== true,
  );
  const context = createNodeContext(input, deps);
  const { prunedResults, included } = await splitOffByCondition(assets, input.step, context);
  const { alreadyDone, wanted } = splitOffDone(stepType, included);
  const config = parseOptions(stepType, step.config);
  // Cached pages would hide that the records are gone, and the next run would pay again for what this call creates.
  if (stepType.mode === 'call' && wanted.length > 0) await context.store.runAssets.assertStored();
  const execute = async () => {
    const results =
      wanted.length > 0 ? await runStepType(stepType, { config, step }, wanted, context) : [];
    return dropPrematureFailures(results.map(failSharedId), wanted, stepType.mode, deps);
  };
  const results =
    stepType.mode === 'wait' && refusals.length + prunedResults.length + alreadyDone.length === 0
      ? await pollUntilChange(execute, assets, context.pollerContext.client.pollBudget, deps)
      : await execute();
  const allResults = [
    ...refusals,
    ...prunedResults,
    ...alreadyDone,
    ...withSourceHashes(results.map(withDuplicateWarnings), wanted, context.store),
  ].map((result) => redact(result, deps));
  const { report, updates } = reportResults(step, states, allResults);
  const pages = await writeAssetUpdates(input, { node: step.node, part }, updates, deps);
  const durationMs = deps.monotonicNow() - startedAtMs;
  const nowMs = context.runNow();
  const hold = context.renderQuota?.hold;
  emitStepResults(input, stepType.type, { results: allResults, assets }, (asset) =>
    asset?.enteredAtMs === undefined ? durationMs : Math.max(0, nowMs - asset.enteredAtMs),
  );
  return { ...report, pages, ...omitUndefined({ hold }) };
}

/** Fails the assets that were refused when the shard was opened, see `openShard`. */
function failRefused(states: readonly AssetState[]): AssetResult[] {
  return states.flatMap(({ key, failures }) => {
    const failure = failures.get('');
    return failure ? [fail(failure, key, failure.message, { attempts: failure.attempts })] : [];
  });
}

/** Does work that several assets share only once. */
async function runStepType(
  stepType: StepType,
  { config, step }: { config: ReturnType<StepType['config']['parse']>; step: StepInput['step'] },
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const { cells } = step;
  const isShared = ({ source }: StepAsset) =>
    cells !== undefined && (source.cell?.positions.length ?? 0) > cells.work;
  if (cells === undefined || !assets.some(isShared)) return stepType.run(config, assets, context);
  const { representatives, toAssetResults } = shareWork(assets, cells.work);
  return toAssetResults(await stepType.run(config, representatives, context));
}

/** Adds the hashes of files that this worker has uploaded, since another worker may write the records. */
function withSourceHashes(
  results: readonly AssetResult[],
  assets: readonly StepAsset[],
  { sourceHashes }: Pick<RunStore, 'sourceHashes'>,
): AssetResult[] {
  const byKey = new Map(assets.map((asset) => [asset.key, asset]));
  return results.map((result) => {
    const asset = byKey.get(result.key);
    if (asset === undefined || result.outcome !== 'done') return result;
    const sourceSha256 = sourceHashes.get(modelKeyOf(asset), asset.source.version);
    const isReported =
      sourceSha256 === undefined || asset.platformIds.sourceSha256 === sourceSha256;
    return isReported
      ? result
      : { ...result, platformIds: { ...result.platformIds, sourceSha256 } };
  });
}

/** Warns of resources that may have been paid for twice, with their platform ids. */
function withDuplicateWarnings(result: AssetResult): AssetResult {
  if (result.outcome !== 'done' || !result.platformIds?.possibleDuplicate) return result;
  const { platformIds, warnings } = takeDuplicateWarnings(result.platformIds);
  return { ...result, platformIds, warnings: [...(result.warnings ?? []), ...warnings] };
}

/** Removes secrets from a result's messages, which may contain names that the platform or a file supplies. */
function redact(result: AssetResult, { secrets }: Pick<Deps, 'secrets'>): AssetResult {
  if ('message' in result) return { ...result, message: toSafeMessage(result.message, secrets) };
  if (result.outcome !== 'done' || result.warnings === undefined) return result;
  return { ...result, warnings: result.warnings.map((warning) => toSafeMessage(warning, secrets)) };
}

/** How long an attempt may wait for wake-ups, well within the activity's timeout. */
const maxWakeUpWaitMs = 60_000;

/**
 * Polls until something has changed. If the worker receives wake-ups, the attempt waits for them, for about
 * `maxWakeUpWaitMs`. Otherwise, or if the worker needs the slot, the attempt ends, and the next attempt polls at the next
 * interval.
 */
async function pollUntilChange(
  poll: () => Promise<AssetResult[]>,
  assets: readonly StepAsset[],
  pollBudget: PollBudget,
  deps: Deps,
): Promise<AssetResult[]> {
  const { cancellationSignal } = Context.current();
  const startedAtMs = deps.monotonicNow();
  const runNow = runClock(deps);
  const untilNextPoll = () =>
    computePollDelayMs(assets, pollBudget, { nowMs: runNow(), monotonicMs: deps.monotonicNow() });
  for (;;) {
    const results = await poll();
    if (results.length > 0) return results;
    cancellationSignal.throwIfAborted();
    const mayWait = deps.monotonicNow() - startedAtMs < maxWakeUpWaitMs;
    if (
      !mayWait ||
      !(await deps.pollerContext.wakeUps.holdWait(untilNextPoll(), cancellationSignal))
    ) {
      const message = `${formatCount(assets.length, 'asset')} not ready yet`;
      throw notReadyFailure(message, untilNextPoll());
    }
  }
}

/**
 * Computes the time until the next poll of a wait, at least 250 ms. Long waits poll rarely, but not later than the
 * first deadline of an asset. `nowMs` is Temporal's time, which the assets use too. `monotonicMs` is this process's own
 * clock. All waits of the process are aligned to that clock.
 */
function computePollDelayMs(
  assets: readonly StepAsset[],
  pollBudget: PollBudget,
  { nowMs, monotonicMs }: { nowMs: number; monotonicMs: number },
): number {
  const newestAtMs = Math.max(...assets.map(({ enteredAtMs = nowMs }) => enteredAtMs));
  const pollIntervalMs = computeLateIntervalMs(
    pollIntervalForMs(pollBudget.pressure()),
    nowMs - newestAtMs,
  );
  const deadlinesMs = assets.flatMap(({ deadlineMs = 0 }) =>
    deadlineMs > nowMs ? deadlineMs : [],
  );
  return Math.max(
    250,
    Math.min(
      computeMsUntilInterval(monotonicMs, pollIntervalMs),
      ...deadlinesMs.map((ms) => ms - nowMs),
    ),
  );
}

/** Splits off the assets whose stage an earlier run has already done. */
function splitOffDone(
  stepType: StepType,
  assets: StepAsset[],
): { alreadyDone: AssetResult[]; wanted: StepAsset[] } {
  const isDone = ({ platformIds }: StepAsset) =>
    platformIds.reusableStages?.some((stage) => stage === stepType.stage) === true;
  const doneResults = assets
    .filter(isDone)
    .map(({ key }): AssetResult => ({ key, outcome: 'done' }));
  return { alreadyDone: doneResults, wanted: assets.filter((asset) => !isDone(asset)) };
}
