// Sends events of the platform to the intakes of the pipelines that begin with them.
import { monotonicMs } from '../api/clock.ts';
import type { IntakeEvent } from '../plan/contract.ts';
import type { ToldOf } from '../plan/sift-contract.ts';
import { beginningEvents } from '../plan/types.ts';
import type { PlatformEvent } from '../receiver/event.ts';
import { Outbox } from '../receiver/outbox.ts';
import type { TemporalConnection } from '../temporal/connect.ts';
import { listIntakes, tellIntake } from '../temporal/event-intakes.ts';

export interface EventPipelines {
  /** Asks each pipeline to look for missed events. Gives their names. */
  catchUp(): Promise<string[]>;
  /** Settles when the event is in the history of every pipeline that begins with it. */
  keep(event: PlatformEvent): Promise<void>;
  close(): Promise<void>;
}

/** An intake of this queue; `event` null: it is encrypted with a key that is not here, so that it may begin with any. */
interface KnownIntake {
  pipeline: string;
  event: string | null;
  taskQueue: string;
}

/** The list of pipelines is renewed after so long; the first sweep of a new intake finds earlier events. */
const knownForMs = 1_000;

/** Calls `connect` again after a failure; until it succeeds, events that start runs are refused. */
export function openEventPipelines(
  connect: () => Promise<TemporalConnection>,
  taskQueue: string,
  now: () => number = monotonicMs,
): EventPipelines {
  let temporal: Promise<TemporalConnection> | null = null;
  let known: { atMs: number; intakes: Promise<KnownIntake[]> } | null = null;
  const outboxes = new Map<string, Outbox<IntakeEvent>>();

  const connected = () => {
    temporal ??= connect().catch((error: unknown) => {
      temporal = null;
      throw error;
    });
    return temporal;
  };
  const read = async () => {
    const { readable, unreadable } = await listIntakes((await connected()).client);
    const all: KnownIntake[] = [...readable, ...unreadable.map((one) => ({ ...one, event: null }))];
    return all.filter((one) => one.taskQueue === taskQueue);
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
    const send = async (events: readonly IntakeEvent[]) =>
      tellIntake((await connected()).client, pipeline, events);
    const outbox = outboxes.get(pipeline) ?? new Outbox<IntakeEvent>(send);
    outboxes.set(pipeline, outbox);
    return outbox;
  };
  return {
    async catchUp() {
      const mine = await intakes();
      const missed = mine.map(({ pipeline, event }) => outboxOf(pipeline).post(sweep(event ?? '')));
      await Promise.all(missed);
      return mine.map(({ pipeline }) => pipeline);
    },
    async keep(told) {
      const { name, at } = told;
      // Other events start nothing, so a receiver of hints alone needs no Temporal.
      if (!beginning.has(name)) return;
      const mine = (await intakes()).filter(({ event }) => event === name || event === null);
      const whole = { name, at, about: aboutOf(told) };
      await Promise.all(
        mine.map(({ pipeline, event }) =>
          outboxOf(pipeline).post(event === null ? sweep(name) : whole),
        ),
      );
    },
    close: async () => {
      await (await temporal?.catch(() => null))?.close();
    },
  };
}

/** An event without its subject makes the intake sweep sooner. */
const sweep = (name: string): IntakeEvent => ({ name, at: '', about: [] });

const beginning: ReadonlySet<string> = new Set(beginningEvents);

/**
 * Subjects of an event. None where the document does not show its payload (section 6), and where it does not say when it
 * happened, so that it could be sent again for ever: it only asks for a sweep.
 */
export function aboutOf({ name, at, modelId, jobId, renderIds = [] }: PlatformEvent): ToldOf[] {
  if (Number.isNaN(Date.parse(at))) return [];
  if (name === 'model.processed') return modelId === undefined ? [] : [{ id: modelId }];
  if (name !== 'render.complete' || jobId === undefined) return [];
  return renderIds.map((id) => ({ id, job: jobId }));
}
