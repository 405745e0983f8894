// A fake of the parts of Temporal that list what `apply` has created, and that record what people do.
import type { Client } from '@temporalio/client';

interface Listed {
  schedules: readonly { scheduleId: string }[];
  /** Open event triggers. */
  triggers: readonly object[];
  /** Further methods of the handles, by id. */
  ofSchedule?: (id: string) => object;
  ofWorkflow?: (id: string) => object;
  /** Receives the entries of the audit log. */
  recorded?: object[];
}

export function serverWith({
  schedules,
  triggers,
  ofSchedule,
  ofWorkflow,
  recorded = [],
}: Listed): Client {
  return {
    options: { loadedDataConverter: { payloadCodecs: [] } },
    withDeadline: (_at: number, work: () => unknown) => work(),
    schedule: {
      async *list() {
        yield* schedules;
      },
      getHandle: (id: string) => ({
        describe: async () => schedules.find(({ scheduleId }) => scheduleId === id),
        ...ofSchedule?.(id),
      }),
    },
    workflow: {
      async *list() {
        yield* triggers;
      },
      getHandle: (id: string) => ({ ...ofWorkflow?.(id) }),
      signalWithStart: async (_type: string, { signalArgs }: { signalArgs: object[] }) => {
        recorded.push(...signalArgs);
      },
    },
  } as unknown as Client;
}
