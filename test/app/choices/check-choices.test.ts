// Values of parameters that come from a list of the workspace. Every command that starts runs checks them first.
import { describe, expect, test } from 'vitest';
import type { Problem } from '../../../src/compile/yaml/problem.ts';
import { run } from '../../cli/_run-cli.ts';
import { countRequests, folderOf, pipelineWith, startWorkspace } from './_workspace.ts';

const templates = '{ type: enum, values: { from: templates } }';
const withDefault = '{ type: enum, values: { from: templates }, default: Studio Wite }';
const nightly = 'schedule: { cron: "0 2 * * *", parameters: { x: Hero Drak } }';
const twice = `schedule:
  - { name: early, cron: "0 2 * * *", parameters: { x: Hero Dark } }
  - { name: late, cron: "0 3 * * *", parameters: { x: Hero Drak } }`;
const there = '"Studio White", "Hero Dark", "Catalog Front", "Warm Floor", "Turntable", "Cut Out"';
const given = ['--param', 'x=Hero Drak'];

interface Refusal {
  problems: Pick<Problem, 'code' | 'severity' | 'file' | 'line' | 'col' | 'message'>[];
}

/** `file:line:col code message` of the errors with which a command ends. */
async function refused(words: string[], pipeline: string, env: Record<string, string>) {
  const world = { cwd: folderOf(pipeline), env: { ...env, TEMPORAL_ADDRESS: '127.0.0.1:1' } };
  const ran = await run([...words, '--json'], world);
  expect(ran.code).toBe(2);
  return ran
    .json<Refusal>()
    .problems.filter(({ severity }) => severity === 'error')
    .map(({ file, line, col, code, message }) => `${file}:${line}:${col} ${code} ${message}`);
}

describe('a template that the workspace does not have', () => {
  test.each<[string, string[], string, string]>([
    ['by plan', ['plan', 'a.yaml', ...given], pipelineWith(templates), '3:3'],
    ['by run', ['run', 'a.yaml', ...given], pipelineWith(templates), '3:3'],
    ['by apply, in a schedule', ['apply', 'a.yaml'], pipelineWith(templates, nightly), '10:49'],
    [
      'by apply, in one of several schedules',
      ['apply', 'a.yaml'],
      pipelineWith(templates, twice),
      '12:55',
    ],
  ])('the template is refused %s', async (_what, words, pipeline, position) => {
    const { env } = await startWorkspace();
    expect(await refused(words, pipeline, env)).toEqual([
      `a.yaml:${position} RL318 parameter "x": no template is named "Hero Drak"; did you mean "Hero Dark"? available templates: ${there}`,
    ]);
  });

  test.each([
    ['plan', ['plan', 'a.yaml']],
    ['run', ['run', 'a.yaml']],
    ['apply', ['apply', 'a.yaml']],
  ])('the template is refused as the default of the file, by %s', async (_what, words) => {
    const { env } = await startWorkspace();
    const scheduled = pipelineWith(withDefault, 'schedule: { cron: "0 2 * * *" }');
    const [problem, ...others] = await refused(words, scheduled, env);
    expect(problem).toMatch(/^a\.yaml:3:58 RL318 .*"Studio Wite"; did you mean "Studio White"\?/);
    expect(others).toEqual([]);
  });

  test('the template is refused by doctor, as a failed check of the file', async () => {
    const { env } = await startWorkspace();
    const world = { cwd: folderOf(pipelineWith(withDefault)), env };
    const ran = await run(['doctor', 'a.yaml', '--json'], world);
    const { checks } = ran.json<{ checks: { name: string; state: string; message: string }[] }>();
    expect(checks.filter(({ name }) => name === 'pipeline file')).toMatchObject([
      { state: 'fail', message: 'a.yaml is not valid: 1 problem.' },
    ]);
    expect(ran.stderr).toContain('a.yaml:3:58 error RL318');
  });
});

describe('the value of a choice', () => {
  const season = '{ from: properties, property: Season }';
  test.each([
    ['templates', '{ from: templates }', 'Hero Dark', null],
    ['templates', '{ from: templates }', 'hero dark', null],
    ['templates', '{ from: templates }', 'tpl-hero-dark', null],
    ['materials', '{ from: materials }', 'Oak', null],
    ['materials', '{ from: materials }', 'Oka', 'no material is named "Oka"'],
    ['materials', '{ from: materials }', 'Twin', '2 materials are named "Twin"'],
    ['properties', '{ from: properties }', 'Season', null],
    ['properties', '{ from: properties }', 'Seson', 'did you mean "Season"?'],
    ['options', season, 'Spring', null],
    ['options', season, 'Sprng', 'did you mean "Spring"?'],
    ['options', season.replace('Season', 'Colour'), 'Red', 'no property "Colour"'],
  ])('a value of %s (%s) is checked: %s', async (_what, values, value, problem) => {
    const { env } = await startWorkspace();
    // A condition reads the parameter without a look-up of its own.
    const pipeline = pipelineWith(`{ type: enum, values: ${values} }`).replace(
      'config: { default: "${{ params.x }}" }',
      `when: "params.x != 'a'", config: { default: Hero Dark }`,
    );
    const world = { cwd: folderOf(pipeline), env };
    const { code, stderr } = await run(['plan', 'a.yaml', '--param', `x=${value}`], world);
    if (problem === null) expect([code, stderr]).toEqual([0, expect.not.stringContaining('RL')]);
    else {
      expect(code).toBe(2);
      expect(stderr).toContain('a.yaml:3:3 error RL318 parameter "x": ');
      expect(stderr).toContain(problem);
    }
  });
});

test('a plan reads the list once, for the parameter and for the node', async () => {
  const { env } = await startWorkspace();
  const requests = countRequests();
  const world = { cwd: folderOf(pipelineWith(templates)), env };
  expect((await run(['plan', 'a.yaml', '--param', 'x=Hero Dark'], world)).code).toBe(0);
  expect(requests['listTemplates']).toBe(1);
});

test('a file whose parameters need no list sends no request for it', async () => {
  const { env } = await startWorkspace();
  const requests = countRequests();
  const pipeline = pipelineWith('{ type: enum, values: [Hero Dark] }');
  const world = { cwd: folderOf(pipeline), env: { ...env, TEMPORAL_ADDRESS: '127.0.0.1:1' } };
  await run(['run', 'a.yaml', '--param', 'x=Hero Dark', '--json'], world);
  expect(requests['listTemplates']).toBeUndefined();
});

test.each([
  ['is down', { RENDERLINE_BASE_URL: 'http://127.0.0.1:1/api/v1', RENDERLINE_API_KEY: 'svc_a_b' }],
  ['is not configured', {}],
])('a plan with a platform that %s reports that the value was not checked', async (_what, env) => {
  const world = { cwd: folderOf(pipelineWith(templates)), env };
  const { code, stderr } = await run(['plan', 'a.yaml', '--param', 'x=Nowhere'], world);
  expect(code).toBe(0);
  expect(stderr).toMatch(/The value of "x" was not checked\. The platform|127\.0\.0\.1/);
});

test('a plan with a wrong API key fails', async () => {
  const { env } = await startWorkspace();
  const world = {
    cwd: folderOf(pipelineWith(templates)),
    env: { ...env, RENDERLINE_API_KEY: 'svc_wrong_key' },
  };
  expect((await run(['plan', 'a.yaml', '--param', 'x=Hero Dark'], world)).code).toBe(4);
});
