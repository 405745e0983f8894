// What the worker provides to a step for one attempt: clients, stores, clocks and everything else with side effects.
import type { Client } from '../api/client.ts';
import type { RequestCounter } from '../api/request-counter.ts';
import type { FieldNames } from '../api/requests/field-names.ts';
import type { Connector } from '../connectors/connector.ts';
import type { RunContext } from '../plan/run/run-context.ts';
import type { Batching } from '../plan/shard/step-contract.ts';
import type { Step } from '../plan/types.ts';
import type { OperatorRules } from '../settings/operator-rules.ts';
import type { RunStore } from '../store/runs/run-store.ts';
import type { RenderReservations } from './cost/render-reservations.ts';
import type { PollerContext } from './polling/poller-context.ts';
import type { Semaphore } from './transfer-semaphore.ts';

/** An attempt of a step's activity. */
interface Attempt {
  /** Number of the attempt, from 1. */
  readonly number: number;
  /** When the first attempt was scheduled. */
  readonly firstAtMs: number;
  /** The latest time at which another attempt may start. */
  readonly retryUntilAtMs: number;
}

export interface NodeContext {
  readonly client: Client;
  /** Names of fields that the platform's reference does not document. They can be set in `renderline.yaml`. */
  readonly fields: FieldNames;
  /** Shared status polling of this worker. */
  readonly pollerContext: PollerContext;
  /** Records, claims, intents and results of this run. */
  readonly store: RunStore;
  /** Reserves renders of the current month. Null if the pipeline has no render quota. */
  readonly renderQuota: RenderReservations | null;
  /** Returns a connector of the pipeline by its name in the pipeline file. */
  getConnector(name: string): Connector;
  /** Limits the concurrent transfers of this worker. */
  readonly transfers: Semaphore;
  readonly run: RunContext;
  readonly shard: number;
  /** How a wait batches its results. Null for calls. */
  readonly wait: Batching | null;
  readonly step: Pick<Step, 'id' | 'node' | 'batch' | 'retry' | 'demands' | 'delivery'>;
  /** Variables and hosts that pipeline files may use, as allowed by the operator of the worker. */
  readonly operatorRules: OperatorRules;
  /** Address of the run's page in the Temporal UI. Null if the worker does not know the UI's address. */
  readonly temporalUi: string | null;
  readonly attempt: Attempt;
  /** Counts the run's requests in this worker that no activity has reported yet. */
  readonly requests: RequestCounter;
  readonly signal: AbortSignal;
  heartbeat(): void;
  /** Throws if another attempt may have replaced this one. Called right before an effect that cannot be undone. */
  assertLease(): Promise<void>;
  /** Like `assertLease`, but always asks the Temporal server. */
  confirmLease(): Promise<void>;
  /** Returns the platform's time, in epoch ms, for calls and created resources. */
  now(): number;
  /** Returns Temporal's time, in epoch ms, for deadlines and `enteredAtMs`. Never ahead of the server's clock. */
  runNow(): number;
}
