// Dependencies of a node's run: the effects, handed in by the worker.
import type { Client } from '../api/client.ts';
import type { RequestCounter } from '../api/counter.ts';
import type { FieldNames } from '../api/field-names.ts';
import type { Connector } from '../connectors/connector.ts';
import type { RunContext } from '../plan/run-context.ts';
import type { Gathering } from '../plan/step-contract.ts';
import type { Step } from '../plan/types.ts';
import type { Guard } from '../settings/guard.ts';
import type { RunStore } from '../store/runs/run-store.ts';
import type { Slots } from './transfer-slots.ts';
import type { Lookout } from './watch/lookout.ts';

/** An attempt of a step's activity, which is tried again until its time is up. */
interface Attempt {
  /** Counted from 1. */
  readonly number: number;
  /** When the first one was due, and the latest time for another. */
  readonly firstAtMs: number;
  readonly untilMs: number;
}

export interface NodeContext {
  readonly client: Client;
  /** The platform's names of fields that its document does not show. */
  readonly fields: FieldNames;
  /** Shared status looks of this worker. */
  readonly lookout: Lookout;
  /** Records, claims, intents and results of this run. */
  readonly store: RunStore;
  /** A connector of the pipeline, by the name that the file gives it. */
  connectorNamed(name: string): Connector;
  /** Bounds the transfers that this worker has under way. */
  readonly transfers: Slots;
  readonly run: RunContext;
  readonly shard: number;
  /** null for calls. */
  readonly wait: Gathering | null;
  readonly step: Pick<Step, 'id' | 'node' | 'batch' | 'redo' | 'slots' | 'delivery'>;
  /** Variables and hosts that files may name, by the operator of the worker. */
  readonly guard: Guard;
  readonly attempt: Attempt;
  /** Counts the requests of this attempt. */
  readonly requests: RequestCounter;
  readonly signal: AbortSignal;
  heartbeat(): void;
  /** Called right before an effect that cannot be taken back. Throws where another attempt may have begun in place of this one. */
  holdLease(): Promise<void>;
  /** The same, asked of the server at once. */
  confirmLease(): Promise<void>;
  /** The platform's time, epoch ms: of calls, and of what they make. */
  now(): number;
  /** Temporal's time, epoch ms: of deadlines, and of when assets came to the step. It is never ahead of the server's. */
  runNow(): number;
}
