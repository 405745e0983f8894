// Creates the context of a node for one attempt.
import { setMaxListeners } from 'node:events';
import { Context } from '@temporalio/activity';
import { RenderReservations } from '../../src/engine/cost/render-reservations.ts';
import type { NodeContext } from '../../src/engine/node-context.ts';
import { createConnectorResolver } from '../../src/features/discovery-source.ts';
import { openQuotaCounts } from '../../src/features/quota-counts.ts';
import type { StepInput } from '../../src/plan/shard/step-contract.ts';
import { AttemptLease } from '../attempt-lease.ts';
import type { Deps } from '../deps.ts';
import { createHeartbeat } from '../heartbeats.ts';
import { runClock } from '../run-clock.ts';

export function createNodeContext(input: StepInput, deps: Deps): NodeContext {
  const activity = Context.current();
  // The limit is lifted, because every transfer of the attempt adds a listener to this signal.
  setMaxListeners(0, activity.cancellationSignal);
  const lease = new AttemptLease(deps);
  const runNow = runClock(deps);
  const { renderQuota: quota } = input.context;
  const counts = openQuotaCounts(input.context, deps.connectorOf);
  return {
    ...deps.platformOf(input.context),
    fields: deps.fields,
    transfers: deps.transfers.withOptions({
      urgent: input.context.urgent,
      run: input.context.run,
      signal: activity.cancellationSignal,
    }),
    store: deps.storeOf(input.context),
    renderQuota:
      quota && counts ? new RenderReservations(quota, counts, { now: deps.now, runNow }) : null,
    getConnector: createConnectorResolver(input.context, deps.connectorOf),
    run: input.context,
    shard: input.shard,
    wait: input.wait,
    step: input.step,
    operatorRules: deps.operatorRules,
    temporalUi: deps.runPageUrlOf(input.context.run),
    attempt: {
      number: activity.info.attempt,
      firstAtMs: activity.info.scheduledTimestampMs,
      retryUntilAtMs: activity.info.scheduledTimestampMs + input.step.timeoutMs,
    },
    requests: deps.requestsOf(input.context.run),
    signal: activity.cancellationSignal,
    heartbeat: createHeartbeat(activity),
    assertLease: () => lease.assertLease(),
    confirmLease: () => lease.confirmNow(),
    now: deps.now,
    runNow,
  };
}
