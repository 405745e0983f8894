// Changes by others between the plan and the writes of `apply`: pauses that begin or end, and removals.
import {
  type Client,
  type ScheduleDescription,
  ScheduleNotFoundError,
  type ScheduleOptions,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { applyChange } from '../../../src/app/apply/planned-change.ts';
import {
  applyScheduleChange,
  planScheduleChange,
} from '../../../src/app/apply/schedule-changes.ts';
import { noteOfPause } from '../../../src/app/general-pause/held-schedules.ts';
import {
  type DeclaredSchedule,
  formatUnpausedNote,
  scheduleOptions,
} from '../../../src/app/schedules/schedule-options.ts';
import { removeSchedule } from '../../../src/app/schedules/temporal-schedules.ts';
import { compileText } from '../../../src/compile/compile.ts';
import { computeDays, toScheduleDays } from '../../../src/compile/schedule/schedule-days.ts';
import type { GeneralPause } from '../../../src/plan/run/general-pause.ts';
import { stopEventTrigger } from '../../../src/temporal/runs/event-triggers.ts';

const general: GeneralPause = {
  taskQueue: 'q',
  pipeline: null,
  by: 'ann@studio-2',
  at: '2026-11-27T20:01:02.345Z',
  reason: 'wrong colours',
};

function declared(cron: string): DeclaredSchedule {
  const text = [
    'name: nightly',
    'connectors: { m: { type: local, path: models } }',
    'records: m',
    'nodes: [{ id: take, type: connector_poll, config: { connector: m } }]',
    `schedule: { cron: "${cron}" }`,
  ].join('\n');
  const options = { cwd: '/', fileFolder: '/', environment: {}, parameters: {} };
  const { schedules, plan, limits } = compileText(text, 'nightly.yaml', options);
  const [declaration] = schedules;
  if (plan === null || declaration === undefined) throw new Error('the text is wrong');
  const days = toScheduleDays(declaration, [], computeDays(0));
  const place = { path: '/nightly.yaml', taskQueue: 'q', searchable: false };
  return { declaration, days, calendars: [], plan, limits, ...place };
}

interface State {
  paused: boolean;
  note: string;
}

/** A server with at most one schedule, and at most one general pause. */
class Server {
  live: ScheduleOptions | null;
  general: GeneralPause | null = null;
  /** Called when the new state of the schedule is decided, before the server stores it. */
  duringWrite = () => {};

  constructor(live: ScheduleOptions | null) {
    this.live = live;
  }

  setState(state: State): void {
    if (this.live !== null) this.live = { ...this.live, state };
  }

  // The cast is safe: these are the calls of `apply`.
  readonly client = {
    options: { loadedDataConverter: { payloadCodecs: [] } },
    withDeadline: (_at: number, call: () => unknown) => call(),
    workflow: {
      signalWithStart: async () => {},
      getHandle: (id: string) => ({
        describe: async () => {
          if (this.general === null) throw new WorkflowNotFoundError('none', id, undefined);
          const { at, by, reason } = this.general;
          const memo = { renderlinePause: { by, reason } };
          return { status: { name: 'RUNNING' }, startTime: new Date(at), memo };
        },
        cancel: async () => {
          throw new WorkflowNotFoundError('none', id, undefined);
        },
      }),
    },
    schedule: {
      create: async (options: ScheduleOptions) => {
        this.duringWrite();
        this.live = options;
      },
      getHandle: (id: string) => ({
        describe: async () => this.#description(id),
        update: async (change: (live: ScheduleDescription) => ScheduleOptions) => {
          const description = this.#description(id);
          this.duringWrite();
          this.live = { ...change(description), scheduleId: id, memo: description.memo ?? {} };
        },
        delete: async () => {
          throw new ScheduleNotFoundError('none', id);
        },
      }),
    },
  } as unknown as Client;

  #description(id: string): ScheduleDescription {
    if (this.live === null) throw new ScheduleNotFoundError('none', id);
    // The cast is safe: `apply` reads no other fields.
    return { ...this.live, info: { nextActionTimes: [] } } as unknown as ScheduleDescription;
  }
}

const before = declared('0 2 * * *');
const wanted = declared('0 3 * * *');
const running = { paused: false, note: formatUnpausedNote(wanted) };
const byHand = { paused: true, note: 'stocktaking' };
const held = { paused: true, note: noteOfPause(general) };

describe('a schedule that apply writes', () => {
  it.each<[string, State | null, GeneralPause | null, (server: Server) => void, State]>([
    [
      'keeps a pause that a person set since the plan',
      running,
      null,
      (server) => server.setState(byHand),
      byHand,
    ],
    [
      'stays resumed if a person resumed it since the plan',
      byHand,
      null,
      (server) => server.setState(running),
      running,
    ],
    [
      'stays resumed if the general pause of the plan has ended',
      held,
      general,
      (server) => {
        server.general = null;
        server.setState(running);
      },
      running,
    ],
    [
      'is resumed if the general pause that holds it has ended',
      held,
      general,
      (server) => {
        server.general = null;
      },
      running,
    ],
    [
      'is resumed if the general pause that holds it ends during the write',
      held,
      general,
      (server) => {
        server.duringWrite = () => {
          server.general = null;
        };
      },
      running,
    ],
    [
      'is held by a general pause that began since the plan',
      running,
      null,
      (server) => {
        server.general = general;
      },
      held,
    ],
    [
      'is held from its creation by a general pause that begins during the write',
      null,
      null,
      (server) => {
        server.duringWrite = () => {
          server.general = general;
        };
      },
      held,
    ],
  ])('the schedule %s', async (_what, state, pause, change, expected) => {
    const server = new Server(state && scheduleOptions(before, state));
    server.general = pause;
    const planned = await planScheduleChange(server.client, 'nightly.yaml', wanted, 0, pause);
    change(server);
    const done = await applyScheduleChange({ client: server.client, taskQueue: 'q' }, planned);
    expect(server.live?.state).toEqual(expected);
    expect(done.paused).toBe(expected.paused ? expected.note : null);
  });
});

describe('the removal of something that is already gone', () => {
  const { client } = new Server(null);
  const change = { change: 'remove' as const, file: null, fields: [], takenFrom: null };
  it.each([
    ['schedule', removeSchedule],
    ['event-trigger', stopEventTrigger],
    ['http-start', removeSchedule],
  ] as const)('causes no error: %s', async (kind, remove) => {
    const subject = { subject: kind, name: 'gone', pipeline: 'gone' };
    const make = (writer: Client) => remove(writer, 'gone');
    await applyChange({ client, taskQueue: 'q' }, subject, { change, make });
  });
});
