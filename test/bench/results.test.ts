// The results file: rows of earlier releases stay readable when columns are added.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseResults, withRow } from '../../bench/results.ts';

const oldHead =
  'date,version,contender,assets,limit,requests,rate_limited,events,wall_ms,ideal_ms,worker_cpu_ms,server_cpu_ms,worker_peak_mib,noticed_p95_ms,outputs';
const oldRow =
  '2026-11-21,1.0.0,hand-written,200,600,1534,267,13326,121398,14400,14790,18230,393,54147,200';

describe('a file of results', () => {
  it('results of an earlier version have one worker and a window of a minute', () => {
    expect(parseResults(`${oldHead}\n${oldRow}\n`)).toEqual([
      {
        date: '2026-11-21',
        version: '1.0.0',
        contender: 'hand-written',
        assets: 200,
        limit: 600,
        workers: 1,
        windowSeconds: 60,
        mix: false,
        kills: 0,
        figures: expect.objectContaining({ requests: 1534, rate_limited: 267, outputs: 200 }),
      },
    ]);
  });

  it('a file of results gets new columns, and its old rows stay the same', () => {
    const old = `${oldHead}\n${oldRow}\n`;
    const row = withRow('', 'X')
      .split('\n')[0]
      ?.split(',')
      .map((name) => (name === 'contender' ? 'script' : '1'));
    const text = withRow(old, row?.join(',') ?? '');
    const widths = new Set(
      text
        .trimEnd()
        .split('\n')
        .map((line) => line.split(',').length),
    );
    expect(widths.size).toBe(1);
    const [first, second] = parseResults(text);
    expect([first]).toMatchObject(parseResults(old));
    expect(second).toMatchObject({ contender: 'script', mix: true, kills: 1 });
  });

  it('a file with unknown columns is refused', () => {
    expect(() => withRow('date,version,wrong\n', 'X')).toThrow('other columns');
  });

  it('the committed file of results is readable', () => {
    const rows = parseResults(readFileSync('bench/results.csv', 'utf8'));
    expect(rows.length).toBeGreaterThan(10);
    for (const { assets, figures } of rows) expect(figures.outputs).toBe(assets);
  });
});
