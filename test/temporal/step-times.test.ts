// Tests the statistics of steps from the history of a shard: busy time without overlaps, and each asset once.
import { defaultDataConverter, defaultPayloadConverter } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import type { HistoryEvent } from '../../src/temporal/runs/read-history.ts';
import { computeCoveredMs, ShardReader } from '../../src/temporal/runs/step-times.ts';

test.each([
  ['no spans', [], 0],
  ['one span', [[10, 30]], 20],
  [
    'separate spans',
    [
      [10, 20],
      [30, 50],
    ],
    30,
  ],
  [
    'overlapping spans, in any order',
    [
      [30, 50],
      [10, 40],
    ],
    40,
  ],
  [
    'a span inside another',
    [
      [10, 100],
      [20, 30],
    ],
    90,
  ],
] as const)('the time that is covered by %s is computed', (_name, spans, ms) => {
  expect(computeCoveredMs(spans.map(([from, until]) => [from, until]))).toBe(ms);
});

interface TestCall {
  step: string;
  assets: number[];
  chain?: string[];
  /** Reports of the step and of its chain. Null if the call failed. */
  reports: { done?: number[]; pruned?: number[]; failed?: number[]; retry?: number[] }[] | null;
  onFailure?: 'ignore';
}

describe('outcomes by step', () => {
  test.each<
    [string, TestCall[][], Record<string, [done: number, failed: number, skipped: number]>]
  >([
    [
      'steps that a call runs after its own',
      [
        [
          {
            step: 'project',
            assets: [0, 1, 2],
            chain: ['look', 'render'],
            reports: [
              { done: [0, 1], failed: [2] },
              { done: [0], pruned: [1] },
            ],
          },
        ],
      ],
      { project: [2, 1, 0], look: [1, 0, 1] },
    ],
    [
      'an asset that fails in two calls of a step',
      [
        [
          { step: 'render', assets: [0, 1], reports: [{ done: [1], failed: [0] }] },
          { step: 'render', assets: [0], reports: [{ failed: [0] }] },
        ],
      ],
      { render: [1, 1, 0] },
    ],
    [
      'a failed render whose retry succeeds',
      [
        [
          { step: 'submit', assets: [0], reports: [{ done: [0] }] },
          { step: 'wait', assets: [0], reports: [{ retry: [0] }] },
          { step: 'submit', assets: [0], reports: [{ done: [0] }] },
          { step: 'wait', assets: [0], reports: [{ done: [0] }] },
        ],
      ],
      { submit: [1, 0, 0], wait: [1, 0, 0] },
    ],
    [
      'a failed render without a retry left',
      [[{ step: 'wait', assets: [0], reports: [{ retry: [0] }] }]],
      { wait: [0, 1, 0] },
    ],
    [
      'a call that fails as a whole',
      [[{ step: 'upload', assets: [0, 1], reports: null }]],
      { upload: [0, 2, 0] },
    ],
    [
      'a call whose failure is ignored',
      [[{ step: 'notify', assets: [0, 1], reports: null, onFailure: 'ignore' }]],
      { notify: [2, 0, 0] },
    ],
    [
      'an earlier execution, which is read after the newer one',
      [
        [{ step: 'wait', assets: [0], reports: [{ done: [0] }] }],
        [{ step: 'wait', assets: [0, 1], reports: [{ retry: [0], done: [1] }] }],
      ],
      { wait: [2, 0, 0] },
    ],
  ])('outcomes are counted by step for %s', async (_name, executions, expected) => {
    const sums: ConstructorParameters<typeof ShardReader>[1] = new Map();
    const reader = new ShardReader({ loadedDataConverter: withoutCodecs }, sums);
    for (const calls of executions) await reader.read(historyOf(calls));
    reader.countOutcomes();
    const counts = [...sums].map(([id, { done, failed, skipped }]) => [
      id,
      [done, failed, skipped],
    ]);
    expect(Object.fromEntries(counts)).toEqual(expected);
  });

  test('the requests of a call are counted once, for its first step', async () => {
    const sums: ConstructorParameters<typeof ShardReader>[1] = new Map();
    const reader = new ShardReader({ loadedDataConverter: withoutCodecs }, sums);
    const reports = [{ done: [0] }, { done: [0] }];
    await reader.read(historyOf([{ step: 'project', assets: [0], chain: ['look'], reports }]));
    expect([...sums.values()]).toMatchObject([
      { step: 'project', calls: 1, within: null, requests: { createProject: 2 } },
      { step: 'look', calls: 0, within: 'project', requests: {} },
    ]);
  });
});

const withoutCodecs = { ...defaultDataConverter, payloadCodecs: [] };

function historyOf(calls: readonly TestCall[]): HistoryEvent[] {
  const payloads = (value: unknown) => ({ payloads: [defaultPayloadConverter.toPayload(value)] });
  const step = (id: string) => ({ id, node: id });
  const events = calls.flatMap(({ step: id, assets, chain = [], reports, onFailure }, index) => {
    const scheduled = index * 2 + 1;
    const input = { step: { ...step(id), onFailure }, chain: chain.map(step), assets };
    const full = (reports ?? []).map((report) => {
      return { done: [], pruned: [], failed: [], retry: [], ...report };
    });
    const [first, ...more] = full;
    const output = { ...first, chain: more, requests: { createProject: 2 } };
    const ended = { scheduledEventId: scheduled };
    return [
      { eventId: scheduled, activityTaskScheduledEventAttributes: { input: payloads(input) } },
      reports === null
        ? { activityTaskFailedEventAttributes: ended }
        : { activityTaskCompletedEventAttributes: { ...ended, result: payloads(output) } },
    ];
  });
  return [{ eventId: 0, workflowExecutionStartedEventAttributes: {} }, ...events].map(
    // The server's numbers are objects of 64 bits, of which the reader uses only the text.
    (event) => event as unknown as HistoryEvent,
  );
}
