// Finds the assets of one discovery page of a run. A cause that a person can repair pauses the run until a resume.
import { condition } from '@temporalio/workflow';
import { connectorUsesOf } from '../../src/plan/contract/connector-uses.ts';
import type { Discovery, RunInput } from '../../src/plan/contract/contract.ts';
import { receiverSecretsOf } from '../../src/plan/contract/receiver-secrets.ts';
import { omitUndefined } from '../../src/plan/helpers/omit-undefined.ts';
import { deliveriesOf } from '../../src/plan/run/deliveries.ts';
import type { RunCause } from '../../src/plan/run/run-cause.ts';
import type { RunContext } from '../../src/plan/run/run-context.ts';
import { addRequests } from '../../src/plan/shard/totals.ts';
import { proxyEngineActivity } from '../activity-options.ts';
import { asCancellation, findRunCause, runFailure } from '../failures.ts';
import { publishPositions } from '../search-attributes.ts';
import { TimedOutCalls } from '../shard/timed-out-calls.ts';
import { type HostPlacement, isNotStartedFailure } from './run-on-host.ts';

/** Timeouts for a discovery that compares contents. Reading every file can be slow, but no file is read twice. */
const verifyTimeouts = { startToCloseTimeout: '24h', scheduleToCloseTimeout: '7 days' } as const;

export interface DiscoveryDeps {
  pause(cause: RunCause): void;
  isPaused(): boolean;
  /** True if a person has decided that the run starts new records. */
  startsNewRecords(): boolean;
  /** Totals to which the discovery adds its requests. */
  requests: Record<string, number>;
}

/**
 * Lists a discovery page. Repeats the activity once after a timeout.
 * @throws ApplicationFailure for a cause that cannot be repaired while the run is open
 */
export async function discoverOrPause(
  { plan, ids, rerun, selection, limits, verify, withdrawAll, hasPositionAttribute }: RunInput,
  { context, isHostChosen }: HostPlacement,
  discoveryPage: number,
  deps: DiscoveryDeps,
): Promise<Discovery> {
  const isHostTried = context.host !== undefined && !isHostChosen;
  const discover = proxyEngineActivity('discover', withUrgentPriority(context), {
    ...(verify ? verifyTimeouts : {}),
    ...(isHostTried ? { scheduleToStartTimeout: '1m' } : {}),
  });
  const timedOutCalls = new TimedOutCalls();
  for (;;) {
    try {
      const { discovery, stages, shardSize, canary, freshness, withdrawn: rules } = plan;
      const receivers = receiverSecretsOf(plan);
      const {
        requests = {},
        positions = {},
        ...result
      } = await discover({
        context,
        discovery,
        stages,
        deliveries: deliveriesOf(plan.steps),
        shardSize,
        discoveryPage,
        // Connector uses are passed only with the first page, because the connectors are checked once.
        ...(discoveryPage === 0 ? { connectorUses: connectorUsesOf(plan.steps) } : {}),
        ...omitUndefined({ canary, freshness, ids, rerun, selection }),
        ...(rules ? { withdrawn: { rules, all: withdrawAll === true } } : {}),
        ...(receivers.length > 0 ? { receivers } : {}),
        ...(verify ? { verify } : {}),
        ...(deps.startsNewRecords() ? { newRecords: true } : {}),
        ...(isHostChosen ? { isHostChosen } : {}),
        ...(limits ? { caps: { limits, plan } } : {}),
      });
      addRequests(deps.requests, requests);
      const searchable = (discovery.grid ?? []).filter(({ isSearchable }) => isSearchable);
      const names = searchable.flatMap(({ name }) => positions[name] ?? []);
      if (hasPositionAttribute === true && names.length > 0) publishPositions(names);
      return result;
    } catch (thrown) {
      const error = asCancellation(thrown);
      const cause = findRunCause(error);
      const isHostAway = isHostTried && isNotStartedFailure(error);
      if (!cause && !isHostAway && timedOutCalls.takeRepeatable(error).length > 0) continue;
      if (!cause) throw error;
      if (cause.kind === 'never' || cause.kind === 'not-found') {
        throw runFailure(cause);
      }
      deps.pause(cause);
      await condition(() => !deps.isPaused());
    }
  }
}

/** Makes the discovery of a run urgent unless its priority is `bulk`, because somebody may be waiting for the run. */
function withUrgentPriority(context: RunContext): RunContext {
  return context.priority === 'bulk' ? context : { ...context, urgent: true };
}
