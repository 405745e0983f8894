// The live pages of runs and shards in the Temporal UI, as a person reads them.
import { describe, expect, it, test } from 'vitest';
import type { RunProgress } from '../../src/plan/contract/contract.ts';
import type { RunCause } from '../../src/plan/run/run-cause.ts';
import type { Outcome } from '../../src/plan/shard/totals.ts';
import { describeShard, formatTotals, runDetails } from '../../workflows/details.ts';
import { planOf, withNodes } from '../compile/_compile.ts';
import { runningProgress } from '../plan/_run-progress.ts';
import { failure } from '../plan/_steps.ts';

const plan = planOf(withNodes('{ id: ready, type: model_ready, parentIds: [take], config: {} }'));
const count = (waiting: number, running = 0, done = 0, failed = 0) => {
  return { waiting, running, done, failed };
};
const totals = (total: number, complete = 0, failed = 0, skipped = 0) => {
  return { total, complete, failed, skipped };
};
const found = { pages: 4, total: 30, new: 20, changed: 3, unchanged: 7, refused: 0 };
const cause = (code: string, kind: RunCause['kind'] = 'later'): RunCause => {
  return { code, message: 'it is late', fix: 'Come again', kind };
};

const progress = (given: Partial<RunProgress>): RunProgress => ({
  ...runningProgress,
  pipeline: 'test',
  discovery: null,
  totals: totals(0),
  ...given,
});

const inFlight = '0 of at most 9 assets in flight.';
const linesOf = (given: Partial<RunProgress>, outcome: Outcome | null = null) =>
  runDetails(plan, progress(given), outcome).split('\n');

test.each([
  [totals(0), '0 of 0 complete'],
  [totals(5, 3), '3 of 5 complete'],
  [totals(5, 3, 1), '3 of 5 complete, 1 failed'],
  [totals(5, 3, 0, 2), '3 of 5 complete, 2 skipped'],
  [totals(9, 3, 1, 2), '3 of 9 complete, 1 failed, 2 skipped'],
])('the totals %j are formatted as "%s"', (sums, words) => expect(formatTotals(sums)).toBe(words));

test('untrusted names and messages create no lines, links, pictures or cells', () => {
  const evil = 'a\n# A lie\n![x](https://evil.example/p) <img src=x> `c` | www.evil.example \u202e';
  const lost = { ...failure('lost', 'shots'), key: evil, message: evil };
  const [, page = ''] = runDetails(
    { ...plan, pipeline: evil },
    progress({ failures: [lost], cause: { ...cause('X'), message: evil } }),
  ).split('**: ');
  const shard = describeShard(
    plan,
    { shard: 0, totals: totals(1), steps: {}, failures: [lost] } as never,
    false,
  );
  for (const text of [page, shard]) {
    expect(text).not.toMatch(/^# /m);
    expect(text).not.toMatch(/(?<!\\)[[<`]|(?<!\\):\/\/|www(?<!\\)\.evil|\u202e/);
    expect(text).toContain(
      String.raw`- a # A lie !\[x\](https\://evil.example/p) \<img src=x\> \`c\` \| www\.evil.example`,
    );
  }
});

describe('the page of a run', () => {
  it('the page of a run starts with its name and state', () => {
    expect(linesOf({ state: 'discovering' })[0]).toBe('**test**: discovering assets');
    expect(linesOf({ totals: totals(5, 1) })[0]).toBe('**test**: running, 1 of 5 complete');
    expect(linesOf({ state: 'paused' })[0]).toBe('**test**: paused, 0 of 0 complete');
  });

  const rerun = 'Rerun what was not delivered: `renderline rerun r-1`';
  test.each<[Outcome, Partial<RunProgress>, string, string | undefined]>([
    ['complete', { totals: totals(5, 5) }, 'complete, 5 of 5 complete', undefined],
    [
      'partial_failure',
      { totals: totals(5, 3, 2) },
      'partial failure, 3 of 5 complete, 2 failed',
      rerun,
    ],
    ['failed', { totals: totals(5, 0, 5) }, 'failed, 0 of 5 complete, 5 failed', rerun],
    ['cancelled', { totals: totals(5, 1) }, 'cancelled, 1 of 5 complete', rerun],
    [
      'failed',
      { state: 'discovering', discovery: null },
      'failed before it found its assets',
      undefined,
    ],
  ])(
    'the page of a run that ended as %s, with %j, contains "%s" and the next command: %j',
    (outcome, given, words, next) => {
      const lines = linesOf({ state: 'finished', discovery: found, ...given }, outcome);
      expect(lines[0]).toBe(`**test**: ${words}`);
      expect(lines.find((line) => line.includes('renderline'))).toBe(next);
    },
  );

  it('the page of a run contains the future location of the report, and then its location', () => {
    const reported = { ...plan, destination: { type: 'local', path: '/out' }, report: 'reports' };
    const last = (state: RunProgress['state']) =>
      runDetails(reported, progress({ state })).split('\n').at(-1);
    expect(last('running')).toBe('Its report will be /out/reports/r-1.html.');
    expect(last('finished')).toBe('Report: /out/reports/r-1.html');
  });

  it('the page of a run contains totals, steps and failures, as Markdown', () => {
    const first = plan.steps[0]?.id ?? '';
    const given = {
      discovery: found,
      shardsDone: 2,
      totals: totals(30, 11, 1, 7),
      steps: { [first]: count(4, 3, 2, 1), elsewhere: count(9) },
      failures: [failure('shoes/a.glb', 'ready')],
    };
    expect(linesOf(given)).toEqual([
      '**test**: running, 11 of 30 complete, 1 failed, 7 skipped',
      '',
      'Assets: 30 found, 20 new, 3 changed, 7 unchanged. Shards: 2 of 4 done.',
      '',
      inFlight,
      '',
      '| step | waiting | now | done | failed |',
      '|---|---|---|---|---|',
      '| take | 4 | 3 | 2 | 1 |',
      '',
      'Failed:',
      '',
      '- shoes/a.glb: BROKEN at ready: BROKEN it is',
    ]);
  });

  it('the page of a run lists the reported steps in the order of the plan', () => {
    const ids = plan.steps.map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(1);
    const steps = Object.fromEntries(ids.toReversed().map((id) => [id, count(1)]));
    const rows = linesOf({ steps }).filter((line) => line.endsWith('| 1 | 0 | 0 | 0 |'));
    expect(rows).toEqual(ids.map((id) => `| ${id} | 1 | 0 | 0 | 0 |`));
    expect(linesOf({ steps: {} }).join()).not.toContain('|');
  });

  test.each([
    [10, 10, []],
    [11, 10, ['- and 1 more']],
    [200, 10, ['- and 190 more']],
  ])('the page of a run with %i failures contains the first %i and %j', (failed, shown, rest) => {
    const failures = Array.from({ length: failed }, (_, at) => failure(`a${at}`, 'ready'));
    const lines = linesOf({ failures }).filter((line) => line.startsWith('- '));
    expect(lines.slice(0, shown).every((line, at) => line.startsWith(`- a${at}:`))).toBe(true);
    expect(lines.slice(shown)).toEqual(rest);
  });

  const waiting = { assets: 5, state: 'waiting', until: '2026-11-28T22:40:00Z' } as const;
  const approval = 'Then the run waits for approval, until 2026-11-28T22:40:00Z.';
  const paused = 'Paused: BUDGET: it is late. Come again';
  const rows: [string, Partial<RunProgress>, string[]][] = [
    [
      'that is paused contains the reason',
      { state: 'paused', cause: cause('BUDGET') },
      ['', paused],
    ],
    [
      'that stopped contains the reason',
      { state: 'finished', cause: cause('UNAUTHORIZED', 'auth') },
      ['', 'Stopped: UNAUTHORIZED: it is late. Come again'],
    ],
    [
      'that is paused before its approval has both reasons',
      { state: 'paused', cause: cause('BUDGET'), canary: waiting },
      ['', paused, '', approval],
    ],
    [
      'that only waits for approval contains its cause once',
      { state: 'paused', cause: cause('CANARY_WAITING'), canary: waiting },
      ['', 'Paused: CANARY_WAITING: it is late. Come again'],
    ],
    [
      'whose canary is running requests no approval yet',
      { canary: { assets: 5, state: 'running', until: null } },
      [],
    ],
  ];
  test.each(rows)('the page of a run %s', (_, given, words) =>
    expect(linesOf(given).slice(2)).toEqual([inFlight, '', ...words]),
  );
});

describe('the page of a shard', () => {
  const shard = {
    shard: 0,
    totals: totals(3, 1, 1),
    steps: { take: count(0, 0, 3) },
    failures: [failure('a', 'take')],
  };

  it('the page of a shard counts shards from one, and contains steps and failures', () => {
    expect(describeShard(plan, shard, false).split('\n')).toEqual([
      '**test**, shard 1: 1 of 3 complete, 1 failed',
      '',
      '| step | waiting | now | done | failed |',
      '|---|---|---|---|---|',
      '| take | 0 | 0 | 3 | 0 |',
      '',
      'Failed:',
      '',
      '- a: BROKEN at take: BROKEN it is',
    ]);
  });

  it('the page of a shard shows that the shard is paused', () => {
    const [first] = describeShard(plan, shard, true).split('\n');
    expect(first).toBe('**test**, shard 1: 1 of 3 complete, 1 failed (paused)');
  });
});
