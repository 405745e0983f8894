// Events of the platform on their way to the intakes of the pipelines that begin with them.
import type { IntakeEvent, ToldOf } from '../plan/contract.ts';
import { beginningEvents } from '../plan/types.ts';
import type { PlatformEvent } from '../receiver/event.ts';
import { Outbox } from '../receiver/outbox.ts';
import type { TemporalConnection } from '../temporal/connect.ts';
import { listIntakes, type RunningIntake, tellIntake } from '../temporal/event-intakes.ts';

export interface EventPipelines {
  /** Has each pipeline look for what came while nobody received; gives their names. */
  catchUp(): Promise<string[]>;
  /** Settles when the event is in the history of every pipeline that begins with it. */
  keep(event: PlatformEvent): Promise<void>;
  close(): Promise<void>;
}

/** What was applied since is found when an event comes after so long; an intake's first sweep finds what came before. */
const knownForMs = 1_000;

/** `connect` is asked again after it has failed; until then events that start runs are refused. */
export function openEventPipelines(
  connect: () => Promise<TemporalConnection>,
  taskQueue: string,
  now: () => number = Date.now,
): EventPipelines {
  let temporal: Promise<TemporalConnection> | null = null;
  let known: { atMs: number; intakes: Promise<RunningIntake[]> } | null = null;
  const outboxes = new Map<string, Outbox<IntakeEvent>>();

  const connected = () => {
    temporal ??= connect().catch((error: unknown) => {
      temporal = null;
      throw error;
    });
    return temporal;
  };
  const read = async () => {
    const all = await listIntakes((await connected()).client);
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
      // An event that does not say what it is about brings a sweep forward.
      const missed = mine.map(({ pipeline, event }) =>
        outboxOf(pipeline).post({ name: event, at: '', about: [] }),
      );
      await Promise.all(missed);
      return mine.map(({ pipeline }) => pipeline);
    },
    async keep(told) {
      const { name, at } = told;
      // Others begin nothing, so a receiver of hints alone needs no Temporal.
      if (!beginning.has(name)) return;
      const mine = (await intakes()).filter(({ event }) => event === name);
      const event = { name, at, about: aboutOf(told) };
      await Promise.all(mine.map(({ pipeline }) => outboxOf(pipeline).post(event)));
    },
    close: async () => {
      await (await temporal?.catch(() => null))?.close();
    },
  };
}

const beginning: ReadonlySet<string> = new Set(beginningEvents);

/** Nothing where the document does not show what the payload says (section 6): those only ask for a sweep. */
function aboutOf({ name, modelId, jobId, renderIds = [] }: PlatformEvent): ToldOf[] {
  if (name === 'model.processed') return modelId === undefined ? [] : [{ id: modelId }];
  if (name !== 'render.complete' || jobId === undefined) return [];
  return renderIds.map((id) => ({ id, job: jobId }));
}
