// One attempt of one step: passes over assets whose `when` is false, runs the node, and turns "nothing
// changed" into a look at the next tick.
import { Context } from '@temporalio/activity';
import { assetScope, compileExpression, ExpressionError } from '../src/compile/expressions.ts';
import { tickLengthMs, untilNextTickMs } from '../src/engine/watch/ticks.ts';
import type { StepType } from '../src/nodes/node-type.ts';
import type { StepInput, StepOutput } from '../src/plan/contract.ts';
import type { AssetResult, StepAsset } from '../src/plan/types.ts';
import type { Deps } from './deps.ts';
import { notYet, toFailure } from './failures.ts';
import { whileBeating } from './heartbeats.ts';
import { nodeContext } from './node-context.ts';

export async function runStep(node: StepType, input: StepInput, deps: Deps): Promise<StepOutput> {
  const requests = deps.requestsOf(input.context.run);
  try {
    const { passed, wanted } = passOver(input);
    const context = nodeContext(input, deps);
    const config = node.config.parse(input.step.config);
    const work = async () => (wanted.length > 0 ? node.run(config, wanted, context) : []);
    const results = await whileBeating(() =>
      node.mode === 'wait' && passed.length === 0 ? untilNews(work, input, deps) : work(),
    );
    return {
      results: [...passed, ...results.map(withDoubt)],
      requests: requests.take().byOperation,
    };
  } catch (error) {
    throw toFailure(error, Context.current().info.attempt, deps.secrets);
  }
}

/** What may have been paid for twice is told, where it stands among the platform's ids. */
function withDoubt(result: AssetResult): AssetResult {
  if (result.outcome !== 'done' || !result.refs?.perhapsTwice) return result;
  const { perhapsTwice, ...refs } = result.refs;
  return { ...result, refs, warnings: [...(result.warnings ?? []), perhapsTwice] };
}

/** Held attempts end by themselves well within what an attempt may take. */
const heldAtMostMs = 60_000;

/**
 * Looks until something has changed. Where hints come the attempt is held, so that it hears them; else, and
 * when the worker has better use for its slots, the next attempt looks at the next tick.
 */
async function untilNews(
  look: () => Promise<AssetResult[]>,
  input: StepInput,
  deps: Deps,
): Promise<AssetResult[]> {
  const { cancellationSignal } = Context.current();
  const startedMs = deps.now();
  for (;;) {
    const results = await look();
    const nowMs = deps.now();
    if (results.length > 0 || nowMs >= returnByMs(input)) return results;
    cancellationSignal.throwIfAborted();
    const mayHold = nowMs - startedMs < heldAtMostMs;
    const tickMs = untilTickMs(input, deps, nowMs);
    if (!mayHold || !(await deps.lookout.hints.hold(tickMs, cancellationSignal))) {
      throw lookAgain(input, deps);
    }
  }
}

const returnByMs = ({ wait }: StepInput) => wait?.returnByMs ?? Number.POSITIVE_INFINITY;

function untilTickMs(input: StepInput, deps: Deps, nowMs: number): number {
  const tickMs = tickLengthMs(deps.client.budget.pressure());
  return Math.max(250, Math.min(untilNextTickMs(nowMs, tickMs), returnByMs(input) - nowMs));
}

function lookAgain(input: StepInput, deps: Deps): Error {
  const count = input.assets.length;
  const what = `${count} ${count === 1 ? 'asset' : 'assets'} not ready yet`;
  return notYet(what, untilTickMs(input, deps, deps.now()));
}

/** Splits off the assets whose `when` is false, or fails on them. */
function passOver(input: StepInput): { passed: AssetResult[]; wanted: StepAsset[] } {
  const { when } = input.step;
  if (when === null) return { passed: [], wanted: input.assets };
  const compiled = compileExpression(when);
  if (!compiled.ok) throw new TypeError(`when of ${input.step.node}: ${when} is not an expression`);
  const passed: AssetResult[] = [];
  const wanted = input.assets.filter((asset) => {
    const { key } = asset;
    try {
      if (compiled.evaluate(assetScope(asset, input.context.parameters)) === true) return true;
      passed.push({ key, outcome: 'pruned' });
    } catch (error) {
      // What the expression cannot make of one asset's name is no fault of the others.
      if (!(error instanceof ExpressionError)) throw error;
      passed.push({ key, outcome: 'failed', code: 'EXPRESSION_FAILED', message: error.message });
    }
    return false;
  });
  return { passed, wanted };
}
