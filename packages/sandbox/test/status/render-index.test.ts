// Which outputs are available, and in which order, if pictures are drawn after their jobs end.
import { describe, expect, test } from 'vitest';
import { Journal } from '../../src/state/journal.ts';
import type { OutputRecord, RenderJobRecord } from '../../src/state/records.ts';
import { Table } from '../../src/state/table.ts';
import { RenderIndex } from '../../src/status/render-index.ts';

interface Times {
  readonly endAt: number;
  readonly drawnAt: number;
}

function makeIndex(times: Readonly<Record<string, Times>>) {
  const outputs = new Table<OutputRecord>('outputs', new Journal(undefined));
  const jobs = Object.entries(times).map(([id, { endAt, drawnAt }]): RenderJobRecord => {
    const size = { width: 1, height: 1 };
    outputs.insert({ id, jobId: id, name: id, modelId: 'model', format: 'PNG', ...size });
    const settings = {};
    return {
      id,
      batchId: 'batch',
      projectId: 'project',
      settings,
      dispatchAt: 0,
      endAt,
      outputIds: [id],
      drawnAt,
    };
  });
  const index = new RenderIndex(outputs);
  return { index, jobs, finished: () => index.finished.map(({ output }) => output.id) };
}

// Jobs may end in another order than their pictures become ready.
const times = {
  slow: { endAt: 10, drawnAt: 50 },
  quick: { endAt: 20, drawnAt: 15 },
  last: { endAt: 60, drawnAt: 55 },
};

describe('the order of finished outputs, with the latest output last', () => {
  test.each([[[60]], [[20, 60]], [[10, 20, 30, 50, 60]]])(
    'outputs have the same order after reads at %j',
    (moments) => {
      const { index, jobs, finished } = makeIndex(times);
      for (const job of jobs) index.add(job);
      for (const now of moments) index.finishDueJobs(now);
      expect(finished()).toEqual(['quick', 'slow', 'last']);
    },
  );

  test('outputs have the same order after a restart', () => {
    const { index, jobs, finished } = makeIndex(times);
    index.load(jobs);
    index.finishDueJobs(60);
    expect(finished()).toEqual(['quick', 'slow', 'last']);
  });

  test('outputs are in the order in which they became available, not in the order in which jobs end', () => {
    const { index, jobs, finished } = makeIndex({
      drawnLate: { endAt: 10, drawnAt: 40 },
      endsBetween: { endAt: 30, drawnAt: 5 },
    });
    for (const job of jobs) index.add(job);
    index.finishDueJobs(20);
    index.finishDueJobs(45);
    expect(finished()).toEqual(['endsBetween', 'drawnLate']);
  });
});
