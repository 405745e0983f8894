// Delivers platform events to the event triggers (workflows) of the pipelines that they start.
import { monotonicMs } from '../api/clock.ts';
import type { IntakeEvent } from '../plan/contract.ts';
import type { ToldOf } from '../plan/sift-contract.ts';
import { beginningEvents } from '../plan/types.ts';
import type { PlatformEvent } from '../receiver/event.ts';
import { Outbox } from '../receiver/outbox.ts';
import type { TemporalConnection } from '../temporal/connect.ts';
import { listIntakes, type RunningIntake, tellIntake } from '../temporal/event-intakes.ts';
import { unreadError } from './unread-error.ts';

export interface EventPipelines {
  /**
   * Asks each trigger that may have missed events to sweep the platform for them.
   * Returns the names of all pipelines with a trigger.
   */
  catchUp(): Promise<string[]>;
  /** Resolves when the event is in the workflow history of every trigger that listens for it. */
  keep(event: PlatformEvent): Promise<void>;
  close(): Promise<void>;
}

/** Lifetime of the cached list of triggers. A new trigger's first sweep finds events from before it was listed. */
const knownForMs = 1_000;

/** Delivery is rechecked at this interval after a fault, since no event signals a repair. */
const checkEveryMs = 10_000;

export interface EventPipelinesOptions {
  now?: () => number;
  /** Called with the error whenever events cannot be delivered, and with null when they can again. */
  onFault?: (error: unknown) => void;
  /** @default 10 s */
  checkMs?: number;
}

/**
 * Events that start runs are refused while Temporal is unreachable or its triggers cannot be read. The dispatcher retries
 * with a new connection until it succeeds, then asks each trigger to sweep for missed events.
 */
export function openEventPipelines(
  connect: () => Promise<TemporalConnection>,
  taskQueue: string,
  { now = monotonicMs, onFault, checkMs = checkEveryMs }: EventPipelinesOptions = {},
): EventPipelines {
  let temporal: Promise<TemporalConnection> | null = null;
  let known: { atMs: number; intakes: Promise<RunningIntake[]> } | null = null;
  const outboxes = new Map<string, Outbox<IntakeEvent>>();
  /** Pipelines without undelivered events since their last sweep. */
  const caughtUp = new Set<string>();
  let isReadable = true;
  let check: NodeJS.Timeout | undefined;
  let isClosed = false;

  const connected = () => {
    temporal ??= connect().catch((error: unknown) => {
      temporal = null;
      throw error;
    });
    return temporal;
  };
  const disconnect = async () => {
    const before = temporal;
    temporal = null;
    await (await before?.catch(() => null))?.close();
  };
  const failed = (error: unknown) => {
    onFault?.(error);
    if (isClosed) return;
    check ??= setTimeout(() => {
      check = undefined;
      checkAgain().catch(() => undefined);
    }, checkMs).unref();
  };
  const read = async () => {
    try {
      const { readable, unreadable } = await listIntakes((await connected()).client, taskQueue);
      const [hidden] = unreadable;
      if (hidden) throw unreadError(hidden.unreadable);
      isReadable = true;
      return readable;
    } catch (error) {
      isReadable = false;
      caughtUp.clear();
      failed(error);
      throw error;
    }
  };
  const intakes = () => {
    if (known !== null && now() - known.atMs < knownForMs) return known.intakes;
    known = { atMs: now(), intakes: read() };
    known.intakes.catch(() => {
      known = null;
    });
    return known.intakes;
  };
  const outboxOf = (pipeline: string) => {
    const send = async (events: readonly IntakeEvent[]) => {
      try {
        await tellIntake((await connected()).client, pipeline, events);
      } catch (error) {
        caughtUp.delete(pipeline);
        failed(error);
        throw error;
      }
    };
    const outbox = outboxes.get(pipeline) ?? new Outbox<IntakeEvent>(send);
    outboxes.set(pipeline, outbox);
    return outbox;
  };
  const catchUp = async () => {
    const mine = await intakes();
    const missing = mine.filter(({ pipeline }) => !caughtUp.has(pipeline));
    await Promise.all(
      missing.map(async ({ pipeline, event }) => {
        await outboxOf(pipeline).post(sweep(event));
        caughtUp.add(pipeline);
      }),
    );
    return mine.map(({ pipeline }) => pipeline);
  };
  const checkAgain = async () => {
    // Only a new connection reads changed keys and certificates.
    if (!isReadable) await disconnect();
    await catchUp();
    if (check === undefined) onFault?.(null);
  };
  return {
    catchUp,
    async keep(told) {
      const { name, at } = told;
      // Other events start no runs, so a receiver that only forwards wake-ups needs no Temporal.
      if (!beginning.has(name)) return;
      const mine = (await intakes()).filter(({ event }) => event === name);
      const event = { name, at, about: aboutOf(told) };
      await Promise.all(mine.map(({ pipeline }) => outboxOf(pipeline).post(event)));
    },
    close: async () => {
      isClosed = true;
      clearTimeout(check);
      await disconnect();
    },
  };
}

/** An event without a subject makes the trigger sweep the platform immediately. */
const sweep = (name: string): IntakeEvent => ({ name, at: '', about: [] });

const beginning: ReadonlySet<string> = new Set(beginningEvents);

/**
 * Ids that an event is about. Empty when the payload of this kind of event is undocumented, or when the event has no valid
 * time and so cannot be deduplicated: such an event only causes a sweep.
 */
export function aboutOf({ name, at, modelId, jobId, renderIds = [] }: PlatformEvent): ToldOf[] {
  if (Number.isNaN(Date.parse(at))) return [];
  if (name === 'model.processed') return modelId === undefined ? [] : [{ id: modelId }];
  if (name !== 'render.complete' || jobId === undefined) return [];
  return renderIds.map((id) => ({ id, job: jobId }));
}
