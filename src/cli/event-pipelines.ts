// Sends events of the platform to the intakes of the pipelines that begin with them.
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
   * Asks each pipeline to look for missed events that has not been asked since an event of its own could not be kept.
   * Gives the names of all.
   */
  catchUp(): Promise<string[]>;
  /** Settles when the event is in the history of every pipeline that begins with it. */
  keep(event: PlatformEvent): Promise<void>;
  close(): Promise<void>;
}

/** The list of pipelines is renewed after so long; the first sweep of a new intake finds earlier events. */
const knownForMs = 1_000;

/** What keeps events out may be mended meanwhile, without an event that tells. */
const checkEveryMs = 10_000;

export interface EventPipelinesOptions {
  now?: () => number;
  /** Called with why events cannot be kept, as often as that happens, and with null when they can be again. */
  onFault?: (error: unknown) => void;
  /** @default 10 s */
  checkMs?: number;
}

/**
 * Events that start runs are refused while Temporal cannot be reached or its intakes cannot be read. It is tried again, with
 * a new connection, until it succeeds; then each pipeline is asked to look for what it has missed.
 */
export function openEventPipelines(
  connect: () => Promise<TemporalConnection>,
  taskQueue: string,
  { now = monotonicMs, onFault, checkMs = checkEveryMs }: EventPipelinesOptions = {},
): EventPipelines {
  let temporal: Promise<TemporalConnection> | null = null;
  let known: { atMs: number; intakes: Promise<RunningIntake[]> } | null = null;
  const outboxes = new Map<string, Outbox<IntakeEvent>>();
  /** Pipelines that have missed nothing that they were not asked to look for. */
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
    // Keys and certificates are read anew with a connection.
    if (!isReadable) await disconnect();
    await catchUp();
    if (check === undefined) onFault?.(null);
  };
  return {
    catchUp,
    async keep(told) {
      const { name, at } = told;
      // Other events start nothing, so a receiver of hints alone needs no Temporal.
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

/** An event without its subject makes the intake sweep sooner. */
const sweep = (name: string): IntakeEvent => ({ name, at: '', about: [] });

const beginning: ReadonlySet<string> = new Set(beginningEvents);

/**
 * Subjects of an event. None where the document does not show its payload (platform.md, section 6), and where it does not say when it
 * happened, so that it could be sent again for ever: it only asks for a sweep.
 */
export function aboutOf({ name, at, modelId, jobId, renderIds = [] }: PlatformEvent): ToldOf[] {
  if (Number.isNaN(Date.parse(at))) return [];
  if (name === 'model.processed') return modelId === undefined ? [] : [{ id: modelId }];
  if (name !== 'render.complete' || jobId === undefined) return [];
  return renderIds.map((id) => ({ id, job: jobId }));
}
