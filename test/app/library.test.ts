// The library API; test/extended/package.test.ts uses it from the packed package.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { compile } from '../../src/app/library/compile.ts';
import { openRuns, RenderlineError } from '../../src/app/library/open-runs.ts';
import { folderWith } from '../cli/_folder.ts';

const pipeline = readFileSync('pipelines/catalog.yaml', 'utf8');
const given = { folder: '/models', out: '/pictures' };

describe('compile', () => {
  const cwd = () =>
    folderWith({
      'good.yaml': pipeline,
      'bad.yaml': pipeline.replace('type: render\n', 'type: rendr\n'),
    });
  test.each<[string, string, Record<string, string> | undefined, boolean, boolean, string[]]>([
    ['with parameters returns a plan', 'good.yaml', given, true, true, []],
    ['without parameters only checks the file', 'good.yaml', undefined, true, false, []],
    ['reports problems', 'bad.yaml', undefined, false, false, ['RL301']],
    ['reports missing parameters', 'good.yaml', {}, false, false, ['RL309', 'RL309']],
    ['reports a missing file', 'none.yaml', given, false, false, ['RL100']],
  ])('compile %s', async (_what, file, parameters, ok, hasPlan, codes) => {
    const options = { cwd: cwd(), env: {}, ...(parameters && { parameters }) };
    const compiled = await compile(file, options);
    expect([compiled.ok, compiled.plan !== null]).toEqual([ok, hasPlan]);
    const errors = compiled.problems.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ code }) => code)).toEqual(codes);
  });
});

test('without Temporal, programs get an error with a code and a fix', async () => {
  const opened = openRuns({ env: { TEMPORAL_ADDRESS: '127.0.0.1:1' }, cwd: folderWith() });
  const error = await opened.catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(RenderlineError);
  expect(error).toMatchObject({ code: 'TEMPORAL_UNREACHABLE', fix: expect.stringMatching(/\w/) });
});
