// action.yml and its page agree. The action itself runs in test/extended/github-action.test.ts.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { docsUrlOf } from '../../src/app/docs-page.ts';
import { folderWith } from '../cli/_folder.ts';

const Action = z.strictObject({
  name: z.string(),
  description: z.string().max(125),
  inputs: z.record(
    z.string(),
    z.strictObject({
      description: z.string(),
      required: z.boolean().optional(),
      default: z.string().optional(),
    }),
  ),
  runs: z.strictObject({
    using: z.literal('composite'),
    steps: z.array(
      z.strictObject({
        shell: z.literal('bash'),
        run: z.string(),
        env: z.record(z.string(), z.string()),
      }),
    ),
  }),
});
const action = Action.parse(parse(readFileSync('action.yml', 'utf8')));
const names = Object.keys(action.inputs);
const page = readFileSync('docs/github-action.md', 'utf8');

describe('action.yml', () => {
  test('action.yml passes its inputs through the environment instead of a script', () => {
    const [step] = action.runs.steps;
    const handed = names.map((name) => [`INPUT_${name.toUpperCase()}`, `\${{ inputs.${name} }}`]);
    expect(step?.env).toEqual({
      ...Object.fromEntries(handed),
      RENDERLINE_ACTION_REPOSITORY: '${{ github.action_repository }}',
    });
    expect(step?.run).not.toContain('${{');
    expect(existsSync('action/main.mjs')).toBe(true);
  });

  test('the page describes every input of action.yml', () => {
    expect([...page.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)).toEqual(names);
    const [, example = ''] = /```yaml\n(.*?)```/s.exec(page) ?? [];
    const { jobs } = parse(example) as { jobs: { renderline: { steps: { with?: object }[] } } };
    for (const name of Object.keys(jobs.renderline.steps.at(-1)?.with ?? {})) {
      expect(names).toContain(name);
    }
  });
});

/** Runs the action on GitHub with a fake renderline of version 3.2.1 that prints this output. */
function play({ validate, plan = '' }: { validate: object; plan?: string }, more = {}) {
  const folder = folderWith({ summary: '' });
  const npx = join(folder, 'npx');
  const answers = { '--version': '3.2.1', validate: JSON.stringify(validate), plan };
  const code = [
    `#!${process.execPath}`,
    `const said = ${JSON.stringify(answers)};`,
    `const word = process.argv.find((one) => one in said);`,
    `process[word === 'plan' ? 'stderr' : 'stdout'].write(said[word] ?? '');`,
    `process.exitCode = word === 'plan' ? 1 : 0;`,
  ];
  writeFileSync(npx, code.join('\n'));
  chmodSync(npx, 0o755);
  const env = {
    PATH: `${folder}:${process.env['PATH']}`,
    GITHUB_STEP_SUMMARY: join(folder, 'summary'),
    GITHUB_SERVER_URL: 'https://github.example',
    GITHUB_REPOSITORY: 'acme/shop',
    GITHUB_SHA: 'c0ffee',
    RENDERLINE_ACTION_REPOSITORY: 'renderline/renderline',
    INPUT_FILES: 'a.yaml',
    INPUT_PLAN: 'true',
    ...more,
  };
  const main = join(process.cwd(), 'action/main.mjs');
  const { stdout } = spawnSync(process.execPath, [main], { cwd: folder, env, encoding: 'utf8' });
  return { log: stdout, summary: readFileSync(join(folder, 'summary'), 'utf8') };
}

describe("error links that point into the package on the job's machine", () => {
  const valid = { files: [{ file: 'a.yaml', valid: true, problems: [] }] };
  const plan = `error Too much.\n  LIMIT_EXCEEDED: ${docsUrlOf('LIMIT_EXCEEDED')}\n`;
  const problem = { severity: 'error', file: 'a.yaml', line: 1, col: 2, message: 'wrong' };
  const invalid = (docs: string) => ({
    files: [{ file: 'a.yaml', valid: false, problems: [{ ...problem, code: 'RL301', docs }] }],
  });
  const page = 'https://github.example/renderline/renderline/blob/v3.2.1/docs/errors.md';

  test('links into the package are replaced with links to pages for the running version, in the log and the summary', () => {
    const { log, summary } = play({ validate: valid, plan });
    for (const text of [log, summary]) {
      expect(text).toContain(`LIMIT_EXCEEDED: ${page}#limit_exceeded`);
      expect(text).not.toContain('file:');
    }
    expect(summary).toContain(`What these codes mean: [LIMIT\\_EXCEEDED](${page}#limit_exceeded)`);
  });

  test("links appear on the lines of a file's problems", () => {
    const { log, summary } = play({ validate: invalid('docs/errors.md#rl301') });
    expect(log).toMatch(
      /^::error file=a\.yaml,.*::wrong https:.*\/v3\.2\.1\/docs\/errors\.md#rl301$/m,
    );
    expect(summary).toContain(`[RL301](${page}#rl301)`);
  });

  test("links lead to the job's own commit if the action is part of its checkout", () => {
    const { summary } = play({ validate: valid, plan }, { RENDERLINE_ACTION_REPOSITORY: '' });
    expect(summary).toContain('https://github.example/acme/shop/blob/c0ffee/docs/errors.md#limit');
  });

  test.each(['https://evil.example/#x', 'docs/errors.md#x](https://evil.example)', '../evil#x'])(
    'links are never replaced with anything else: %s',
    (docs) => {
      const { log, summary } = play({ validate: invalid(docs) });
      expect(log + summary).not.toContain('evil');
    },
  );
});
