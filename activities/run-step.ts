// Runs one attempt of one step: skips assets whose `when` is false, runs the node, and polls until something changes.
import { Context } from '@temporalio/activity';
import { safeMessage } from '../src/api/scrub.ts';
import type { Pace } from '../src/api/urgent.ts';
import { onceAModel, onceForAllViews } from '../src/capabilities/variants/grid/once-each.ts';
import { fail } from '../src/failures/fail.ts';
import { assetScope, compileExpression, ExpressionError } from '../src/language/expressions.ts';
import type { NodeContext } from '../src/machinery/node-context.ts';
import type { StepType } from '../src/machinery/node-type.ts';
import { optionsOf } from '../src/machinery/options-of.ts';
import { failShared } from '../src/machinery/submit/shared-ids.ts';
import { onlyCertain } from '../src/machinery/visibility.ts';
import { patientTickMs, tickLengthMs, untilNextTickMs } from '../src/machinery/watch/ticks.ts';
import { tellTwice } from '../src/plan/perhaps-twice.ts';
import type { StepInput, StepOutput, StepReport } from '../src/plan/step-contract.ts';
import type { AssetResult, StepAsset } from '../src/plan/types.ts';
import { modelKeyOf } from '../src/store/records/asset-names.ts';
import type { RunStore } from '../src/store/runs/run-store.ts';
import { stepAssets } from '../src/store/runs/step-assets.ts';
import { reportResults } from '../src/store/runs/step-report.ts';
import type { Deps } from './deps.ts';
import { notYet, toFailure } from './failures.ts';
import { goOn, type TypeOf } from './go-on.ts';
import { whileBeating } from './heartbeats.ts';
import { loadIfHigh } from './load.ts';
import { nodeContext } from './node-context.ts';
import { runClock } from './run-clock.ts';
import { readSheets, writePatches } from './shard-sheets.ts';
import { emitResults, tellStep } from './tell.ts';

/** @param typeOf the step types that this worker knows */
export async function runStep(
  node: StepType,
  input: StepInput,
  deps: Deps,
  typeOf: TypeOf,
): Promise<StepOutput> {
  const requests = deps.requestsOf(input.context.run);
  const startedMs = deps.elapsed();
  // Starts the attempt's count of Temporal's time.
  runClock(deps);
  try {
    return await whileBeating(async () => {
      const report = await attempt(node, input, deps);
      const further = await goOn(input, report, { startedMs, typeOf, attempt, deps });
      return {
        ...report,
        ...further,
        requests: requests.take().byOperation,
        ...loadIfHigh(deps),
      };
    });
  } catch (error) {
    throw toFailure(error, Context.current().info.attempt, deps.secrets);
  }
}

/** @param part tells the pages of several steps in one activity apart */
function attempt(node: StepType, input: StepInput, deps: Deps, part = ''): Promise<StepReport> {
  const { type } = node;
  const { secrets } = deps;
  return tellStep(input, { type, secrets }, () => makeAttempt(node, input, deps, part));
}

async function makeAttempt(
  node: StepType,
  input: StepInput,
  deps: Deps,
  part: string,
): Promise<StepReport> {
  const { step } = input;
  const startedMs = deps.elapsed();
  const sheets = await readSheets(input, deps, Context.current().cancellationSignal);
  const assets = stepAssets(sheets, input);
  const { passed, wanted: came } = passOver(assets, input);
  const { standing, wanted } = standAside(node, came);
  const context = nodeContext(input, deps);
  const config = optionsOf(node, step.config);
  const work = async () => {
    const results = wanted.length > 0 ? await runNode(node, { config, step }, wanted, context) : [];
    return onlyCertain(results.map(failShared), wanted, node.mode, deps);
  };
  const results =
    node.mode === 'wait' && passed.length + standing.length === 0
      ? await untilNews(work, assets, context.lookout.client.pace, deps)
      : await work();
  const told = [
    ...passed,
    ...standing,
    ...withHashes(results.map(withDoubt), wanted, context.store),
  ].map((result) => clean(result, deps));
  const { report, patches } = reportResults(step, sheets, told);
  const pages = await writePatches(input, { node: step.node, part }, patches, deps);
  const tookMs = deps.elapsed() - startedMs;
  const nowMs = context.runNow();
  emitResults(input, node.type, { results: told, assets }, (asset) =>
    asset?.enteredAtMs === undefined ? tookMs : Math.max(0, nowMs - asset.enteredAtMs),
  );
  return { ...report, pages };
}

/** Does work that several assets share only once. */
async function runNode(
  node: StepType,
  { config, step }: { config: ReturnType<StepType['config']['parse']>; step: StepInput['step'] },
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const { cells, allViews } = step;
  if (cells !== 'once' && !allViews) return node.run(config, assets, context);
  const { shared, spread } = cells === 'once' ? onceAModel(assets) : onceForAllViews(assets);
  return spread(await node.run(config, shared, context));
}

/** Adds the hashes of files that this worker has uploaded, since another worker may write the records. */
function withHashes(
  results: readonly AssetResult[],
  assets: readonly StepAsset[],
  { sourceHashes }: Pick<RunStore, 'sourceHashes'>,
): AssetResult[] {
  const byKey = new Map(assets.map((asset) => [asset.key, asset]));
  return results.map((result) => {
    const asset = byKey.get(result.key);
    if (asset === undefined || result.outcome !== 'done') return result;
    const sourceSha256 = sourceHashes.get(modelKeyOf(asset), asset.source.version);
    const isTold = sourceSha256 === undefined || asset.refs.sourceSha256 === sourceSha256;
    return isTold ? result : { ...result, refs: { ...result.refs, sourceSha256 } };
  });
}

/** Warns of resources that may have been paid for twice, with their platform ids. */
function withDoubt(result: AssetResult): AssetResult {
  if (result.outcome !== 'done' || !result.refs?.perhapsTwice) return result;
  const { refs, warnings } = tellTwice(result.refs);
  return { ...result, refs, warnings: [...(result.warnings ?? []), ...warnings] };
}

/** Messages of a result may contain names that the platform or a file supplies, so secrets are removed. */
function clean(result: AssetResult, { secrets }: Pick<Deps, 'secrets'>): AssetResult {
  if ('message' in result) return { ...result, message: safeMessage(result.message, secrets) };
  if (result.outcome !== 'done' || result.warnings === undefined) return result;
  return { ...result, warnings: result.warnings.map((warning) => safeMessage(warning, secrets)) };
}

/** An attempt that waits ends by itself well within the activity's timeout. */
const heldAtMostMs = 60_000;

/**
 * Polls until something has changed. If wake-ups arrive, the attempt waits for them. Otherwise, or if the worker needs the
 * slot, the next attempt polls at the next interval.
 */
async function untilNews(
  look: () => Promise<AssetResult[]>,
  assets: readonly StepAsset[],
  pace: Pace,
  deps: Deps,
): Promise<AssetResult[]> {
  const { cancellationSignal } = Context.current();
  const startedMs = deps.elapsed();
  const runNow = runClock(deps);
  const untilLook = () => untilLookMs(assets, pace, { nowMs: runNow(), elapsedMs: deps.elapsed() });
  for (;;) {
    const results = await look();
    if (results.length > 0) return results;
    cancellationSignal.throwIfAborted();
    const mayHold = deps.elapsed() - startedMs < heldAtMostMs;
    if (!mayHold || !(await deps.lookout.hints.hold(untilLook(), cancellationSignal))) {
      const count = `${assets.length} ${assets.length === 1 ? 'asset' : 'assets'}`;
      throw notYet(`${count} not ready yet`, untilLook());
    }
  }
}

/**
 * Long waits poll rarely, but never later than the first deadline of an asset.
 * @param times Temporal's time, which the assets use, and this process's clock, which aligns its waits
 */
function untilLookMs(
  assets: readonly StepAsset[],
  pace: Pace,
  { nowMs, elapsedMs }: { nowMs: number; elapsedMs: number },
): number {
  const newestMs = Math.max(...assets.map(({ enteredAtMs = nowMs }) => enteredAtMs));
  const tickMs = patientTickMs(tickLengthMs(pace.pressure()), nowMs - newestMs);
  const open = assets.flatMap(({ deadlineMs = 0 }) => (deadlineMs > nowMs ? deadlineMs : []));
  return Math.max(
    250,
    Math.min(untilNextTickMs(elapsedMs, tickMs), ...open.map((ms) => ms - nowMs)),
  );
}

/** Splits off the assets for which an earlier run has already done this stage. */
function standAside(
  node: StepType,
  assets: StepAsset[],
): { standing: AssetResult[]; wanted: StepAsset[] } {
  const stands = ({ refs }: StepAsset) => refs.stands?.some((one) => one === node.stage) === true;
  const standing = assets.filter(stands).map(({ key }): AssetResult => ({ key, outcome: 'done' }));
  return { standing, wanted: assets.filter((asset) => !stands(asset)) };
}

/** Splits off the assets whose `when` is false or cannot be evaluated. */
function passOver(
  assets: StepAsset[],
  input: Pick<StepInput, 'step' | 'context'>,
): { passed: AssetResult[]; wanted: StepAsset[] } {
  const { when } = input.step;
  if (when === null) return { passed: [], wanted: assets };
  const compiled = compileExpression(when);
  if (!compiled.ok)
    throw new TypeError(`the \`when\` of ${input.step.node} is not a valid expression: ${when}`);
  const passed: AssetResult[] = [];
  const wanted = assets.filter((asset) => {
    const { key } = asset;
    try {
      if (compiled.evaluate(assetScope(asset, input.context.parameters)) === true) return true;
      passed.push({ key, outcome: 'pruned' });
    } catch (error) {
      // An expression that fails for one asset must not fail the others.
      if (!(error instanceof ExpressionError)) throw error;
      passed.push(fail(error.failure, key, error.message));
    }
    return false;
  });
  return { passed, wanted };
}
