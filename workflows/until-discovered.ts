// Finds the assets of a run, or a stretch of them. A cause that a person can mend holds the run until somebody resumes it.
import { ApplicationFailure, condition, patched, proxyActivities } from '@temporalio/workflow';
import {
  type Activities,
  type Discovery,
  type RunInput,
  runCauseType,
} from '../src/plan/contract.ts';
import { type RunCause } from '../src/plan/run-cause.ts';
import { type RunContext } from '../src/plan/run-context.ts';
import { addRequests } from '../src/plan/totals.ts';
import { bookkeeping } from './activity-options.ts';
import { orCancelled, runCauseOf } from './failures.ts';
import { publishColorways } from './search-attributes.ts';

const { discover } = proxyActivities<Activities>(bookkeeping);
/** Without a short limit: reading every file may take long, and files that were read are not read again. */
const { discover: discoverAndVerify } = proxyActivities<Activities>({
  ...bookkeeping,
  startToCloseTimeout: '24h',
  scheduleToCloseTimeout: '7 days',
});

export interface Holding {
  pause(cause: RunCause): void;
  isPaused(): boolean;
  /** Sum to which the requests of the discovery are added. */
  requests: Record<string, number>;
}

/** @throws ApplicationFailure for a cause that cannot be mended while the run goes on. */
export async function untilDiscovered(
  { plan, ids, again, limits, verify, searchesColorways }: RunInput,
  context: RunContext,
  stretch: number,
  holding: Holding,
): Promise<Discovery> {
  for (;;) {
    try {
      const { discovery, shardSize, canary } = plan;
      const {
        requests = {},
        colorways = [],
        ...found
      } = await (verify ? discoverAndVerify : discover)({
        context,
        discovery,
        shardSize,
        stretch,
        ...(canary ? { canary } : {}),
        ...(ids ? { ids } : {}),
        ...(again ? { again } : {}),
        ...(verify ? { verify: { destination: plan.destination } } : {}),
        ...(limits ? { caps: { limits, plan } } : {}),
      });
      addRequests(holding.requests, requests);
      // A run that an earlier version began lacks this command in its history.
      const isNamed = searchesColorways === true && colorways.length > 0;
      if (isNamed && patched('colorways-are-searched')) publishColorways(colorways);
      return found;
    } catch (thrown) {
      const error = orCancelled(thrown);
      const cause = runCauseOf(error);
      if (!cause) throw error;
      if (cause.kind === 'never' || cause.kind === 'not-found') {
        throw ApplicationFailure.create({
          message: `${cause.code}: ${cause.message}. ${cause.fix}`,
          type: runCauseType,
          nonRetryable: true,
          details: [cause],
        });
      }
      holding.pause(cause);
      await condition(() => !holding.isPaused());
    }
  }
}
