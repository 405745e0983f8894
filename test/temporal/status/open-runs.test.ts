// Tests the open runs of a task queue from visibility.
import { describe, expect, it } from 'vitest';
import { parseRunIdTime } from '../../../src/temporal/runs/run-start-time.ts';
import { readOpenRuns } from '../../../src/temporal/status/open-runs.ts';
import { fakeServer } from './_visibility.ts';

const attributes = { RenderlinePipeline: 'shoes' };

describe('open runs', () => {
  it('open runs are those of the task queue, over all pages', async () => {
    const runs = ['a', 'b', 'c'].map((id) => ({ id, pipeline: 'shoes', attributes }));
    const server = fakeServer({ runs });
    expect(await readOpenRuns(server.client, 'q')).toHaveLength(3);
    expect(new Set(server.queries)).toEqual(
      new Set(["WorkflowType = 'pipelineRun' AND ExecutionStatus = 'Running' AND TaskQueue = 'q'"]),
    );
  });

  it.each([
    ['working', attributes],
    ['paused', { ...attributes, RenderlineOutcome: 'paused' }],
    ['unknown', {}],
  ])('open runs have the state %s', async (state, given) => {
    const { client } = fakeServer({ runs: [{ id: 'a', pipeline: 'shoes', attributes: given }] });
    expect(await readOpenRuns(client, 'q')).toMatchObject([{ pipeline: 'shoes', state }]);
  });

  it.each([
    ['Pinned', 'shop:v1'],
    ['', 'shop:v1'],
    ['AutoUpgrade', null],
  ])('open runs with the behavior %s are pinned to %s', async (behavior, pinnedTo) => {
    const versioned = {
      TemporalWorkerDeploymentVersion: 'shop:v1',
      TemporalWorkflowVersioningBehavior: behavior,
    };
    const { client } = fakeServer({ runs: [{ id: 'a', attributes: versioned }] });
    expect(await readOpenRuns(client, 'q')).toMatchObject([{ pinnedTo }]);
  });

  it('open runs are null if there are more than can be read', async () => {
    const runs = Array.from({ length: 10_001 }, (_, index) => ({ id: `run-${index}` }));
    const { client } = fakeServer({ runs, pageSize: 1_000 });
    expect(await readOpenRuns(client, 'q')).toBeNull();
    runs.pop();
    expect(await readOpenRuns(client, 'q')).toHaveLength(10_000);
  });
});

describe('the age of a run', () => {
  it.each([
    ['shoes-20261127-020000-1bb9', '2026-11-27T02:00:00Z'],
    ['shoes/nightly-2026-11-27T02:00:00Z', '2026-11-27T02:00:00Z'],
    ['shoes', null],
    ['shoes-20269999-020000-1bb9', null],
  ])('the run %s started at %s', (run, at) => {
    expect(parseRunIdTime(run)?.atMs ?? null).toBe(at === null ? null : Date.parse(at));
  });

  it('the age of a run that continued as new counts from the start of its first execution', async () => {
    const startedAtMs = Date.parse('2026-11-27T05:00:00Z');
    const { client } = fakeServer({ runs: [{ id: 'shoes-20261127-020000-1bb9', startedAtMs }] });
    expect(await readOpenRuns(client, 'q')).toMatchObject([
      { startedAtMs: Date.parse('2026-11-27T02:00:00Z') },
    ]);
  });

  it('the age of a backfilled run counts from its start, which is read once', async () => {
    const startedAtMs = Date.parse('2026-11-27T05:00:00Z');
    const id = 'shoes/nightly-2026-10-01T02:00:00Z';
    const server = fakeServer({ runs: [{ id, startedAtMs }] });
    const known = new Map<string, number>();
    for (let reading = 0; reading < 2; reading += 1) {
      expect(await readOpenRuns(server.client, 'q', known)).toMatchObject([{ startedAtMs }]);
    }
    expect(server.described).toBe(1);
  });
});
