// Delivers platform events to the event triggers (workflows) of the pipelines that they start.
import { readMonotonicMs } from '../../api/clock.ts';
import { CachedList } from '../../engine/discovery/cached-list.ts';
import type { TriggerEvent } from '../../plan/contract/contract.ts';
import type { EventObject } from '../../plan/contract/filter-contract.ts';
import { triggerEvents } from '../../plan/types.ts';
import type { PlatformEvent } from '../../receiver/event.ts';
import { SignalBatcher } from '../../receiver/signal-batcher.ts';
import type { TemporalConnection } from '../../temporal/connection/connect.ts';
import {
  listEventTriggers,
  type OpenEventTrigger,
  signalEventTrigger,
} from '../../temporal/runs/event-triggers.ts';
import { unreadablePayloadError } from '../unreadable-payload.ts';

export interface EventDispatcher {
  /** Requests a sweep from each trigger that may have missed events. Returns the pipelines of all triggers. */
  catchUp(): Promise<string[]>;
  /** Resolves once the event is in the workflow history of every trigger that listens for it. */
  deliver(event: PlatformEvent): Promise<void>;
  close(): Promise<void>;
}

/** Lifetime of the cached list of triggers. The first sweep of a new trigger finds events from before it was listed. */
const triggerCacheMs = 1_000;

/** After a problem, delivery is rechecked at this interval, because nothing reports the problem's end. */
const defaultRecheckMs = 10_000;

export interface EventDispatcherOptions {
  now?: () => number;
  /** Called with the error whenever events cannot be delivered, and with null when they can be delivered again. */
  onProblem?: (error: unknown) => void;
  /** @default 10 s */
  recheckMs?: number;
}

/**
 * Opens the dispatcher. Events that start runs are refused while Temporal is unreachable or its triggers cannot be
 * read. The dispatcher retries until it succeeds, then asks the triggers that may have missed events to sweep.
 */
export function openEventDispatcher(
  connect: () => Promise<TemporalConnection>,
  taskQueue: string,
  { now = readMonotonicMs, onProblem, recheckMs = defaultRecheckMs }: EventDispatcherOptions = {},
): EventDispatcher {
  let temporal: Promise<TemporalConnection> | null = null;
  const cachedTriggers = new CachedList<OpenEventTrigger[]>(now, triggerCacheMs);
  const batchers = new Map<string, SignalBatcher<TriggerEvent>>();
  /** Workflow ids of triggers without undelivered events since their last sweep. */
  const caughtUp = new Set<string>();
  let isReadable = true;
  let recheckTimer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const connection = () => {
    temporal ??= connect().catch((error: unknown) => {
      temporal = null;
      throw error;
    });
    return temporal;
  };
  const disconnect = async () => {
    const oldConnection = temporal;
    temporal = null;
    await (await oldConnection?.catch(() => null))?.close();
  };
  const reportProblem = (error: unknown) => {
    onProblem?.(error);
    if (isClosed) return;
    recheckTimer ??= setTimeout(() => {
      recheckTimer = undefined;
      recheck().catch(() => undefined);
    }, recheckMs).unref();
  };
  const readTriggers = async () => {
    try {
      const { client } = await connection();
      const { readable, unreadable } = await listEventTriggers(client, taskQueue);
      const [hidden] = unreadable;
      if (hidden) throw unreadablePayloadError(hidden.unreadable);
      isReadable = true;
      return readable;
    } catch (error) {
      isReadable = false;
      caughtUp.clear();
      reportProblem(error);
      throw error;
    }
  };
  const batcherOf = (workflowId: string) => {
    const send = async (events: readonly TriggerEvent[]) => {
      try {
        await signalEventTrigger((await connection()).client, workflowId, events);
      } catch (error) {
        caughtUp.delete(workflowId);
        reportProblem(error);
        throw error;
      }
    };
    const batcher = batchers.get(workflowId) ?? new SignalBatcher<TriggerEvent>(send);
    batchers.set(workflowId, batcher);
    return batcher;
  };
  const catchUp = async () => {
    const openTriggers = await cachedTriggers.get(readTriggers);
    const sweeps = openTriggers.map(async ({ workflowId, event }) => {
      if (caughtUp.has(workflowId)) return;
      await batcherOf(workflowId).add(sweepRequest(event));
      caughtUp.add(workflowId);
    });
    await Promise.all(sweeps);
    return openTriggers.map(({ pipeline }) => pipeline);
  };
  const recheck = async () => {
    // Connects again, because only a new connection reads changed keys and certificates.
    if (!isReadable) await disconnect();
    await catchUp();
    if (recheckTimer === undefined) onProblem?.(null);
  };
  return {
    catchUp,
    async deliver(platformEvent) {
      const { name, at } = platformEvent;
      // Other events start no runs, so a receiver that only forwards wake-ups does not need Temporal.
      if (!startingEvents.has(name)) return;
      const matchingTriggers = (await cachedTriggers.get(readTriggers)).filter(
        ({ event }) => event === name,
      );
      const event = { name, at, objects: subjectsOf(platformEvent) };
      await Promise.all(matchingTriggers.map(({ workflowId }) => batcherOf(workflowId).add(event)));
    },
    close: async () => {
      isClosed = true;
      clearTimeout(recheckTimer);
      await disconnect();
    },
  };
}

/** An event without a subject makes the trigger sweep the platform immediately. */
const sweepRequest = (name: string): TriggerEvent => ({ name, at: '', objects: [] });

const startingEvents: ReadonlySet<string> = new Set(triggerEvents);

/**
 * Returns the ids that an event concerns. Returns none if the payload of this kind of event is undocumented or lacks
 * the ids, or if the event has no valid time and thus cannot be deduplicated. An event without ids only causes a sweep.
 */
export function subjectsOf(event: PlatformEvent): EventObject[] {
  const { name, at, modelId, jobId, renderIds = [] } = event;
  if (Number.isNaN(Date.parse(at))) return [];
  if (name === 'model.processed') return modelId === undefined ? [] : [{ id: modelId }];
  if (name !== 'render.complete' || jobId === undefined) return [];
  return renderIds.map((id) => ({ id, job: jobId }));
}
