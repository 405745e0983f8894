// `renderline explain CODE` explains every code, with the same docs link as error output.
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { docsUrlOf } from '../../src/app/docs-page.ts';
import { knownFailures } from '../../src/features/failures.ts';
import { problemCodes } from '../../src/language/problem-codes.ts';
import { folderWith } from './_folder.ts';
import { run } from './_run-cli.ts';

describe('explain CODE', () => {
  test('explain CODE explains a problem of a file, even for a code in lower case', async () => {
    const told = await run(['explain', 'rl201']);
    expect([told.code, told.stdout]).toEqual([
      0,
      `RL201  A field is unknown.\n  a problem in a pipeline file, found before anything is sent\n\n  Correct the spelling of the field, or remove the field.\n\n  ${docsUrlOf('RL201')}\n`,
    ]);
  });

  test('explain CODE explains a failure as JSON', async () => {
    const told = await run(['explain', 'RENDER_FAILED', '--json']);
    expect(told.json()).toMatchObject({
      schema: 'renderline/explain-code/v1',
      code: 'RENDER_FAILED',
      scope: 'asset',
      exit: 3,
      waitExits: [3, 1],
      docs: 'docs/errors.md#render_failed',
    });
  });

  test.each([
    ['DATA_TABLE', 'exit code 2; of `run --wait`: 1'],
    ['UNWRITABLE', 'exit code 2; of `run --wait`: 75'],
    ['NOT_A_FOLDER', 'exit code 2; of `run --wait`: 5'],
    ['TOO_MANY_FAILURES', 'exit code 2; of `run --wait`: 1 or 75'],
    ['RENDER_FAILED', 'exit code 3; of `run --wait`: 3 or 1'],
    ['CANARY_WAITING', 'exit code 7'],
    ['INVALID_API_KEY', 'exit code 4'],
    ['CONFIG', 'exit code 2'],
  ])('explain %s prints: %s', async (code, exits) => {
    const [, scope = ''] = (await run(['explain', code])).stdout.split('\n');
    expect(scope.replace(/^.*?, (?=exit)/, '')).toBe(exits);
  });

  test('the docs page has an anchor for each code', async () => {
    const page = await readFile(new URL(docsUrlOf('X')), 'utf8');
    for (const code of [...Object.keys(problemCodes), ...knownFailures.map((one) => one.code)]) {
      expect(page).toContain(`<a id="${docsUrlOf(code).split('#')[1]}"></a>`);
    }
  });

  test.each([...Object.keys(problemCodes), ...knownFailures.map(({ code }) => code)])(
    'explain CODE explains %s',
    async (code) => {
      expect((await run(['explain', code])).code).toBe(0);
    },
  );

  test('the error for an unknown code suggests the nearest one', async () => {
    const told = await run(['explain', 'RENDER_FALED']);
    expect([told.code, told.stderr]).toEqual([
      5,
      expect.stringContaining('Did you mean RENDER_FAILED?') as string,
    ]);
  });

  test('explain with a key but no file prints the complete command', async () => {
    const told = await run(['explain', 'shoes/a.glb']);
    expect([told.code, told.stderr]).toEqual([
      2,
      expect.stringContaining('renderline explain shoes/a.glb FILE') as string,
    ]);
  });
});

describe('validate', () => {
  const bad = 'name: x\nnodez: []\n';
  const good =
    'name: x\nnodes: [{ id: a, type: model_ready, config: { select: { status: READY } } }]\n';

  test.each([
    ['validate', ['validate', '-'], 'Standard input has more than 1048576 bytes.'],
    [
      'api',
      ['api', 'updateModel', '--params', 'modelId=m', '--body', '-'],
      'The body from standard input has more than 16777216 bytes.',
    ],
    [
      'api with a device',
      ['api', 'updateModel', '--params', 'modelId=m', '--body', '@/dev/zero'],
      'The body from /dev/zero has more than 16777216 bytes.',
    ],
  ])(
    '%s refuses input without end, instead of using up the memory',
    async (_what, args, message) => {
      const endless = function* () {
        for (;;) yield Buffer.alloc(1024 * 1024, 'a: ');
      };
      const ran = await run(args, { stdin: Readable.from(endless()) });
      expect(ran.code).toBe(2);
      expect(ran.stderr).toContain(message);
    },
  );

  test('validate accepts standard input, with `<stdin>` as the file in its problems', async () => {
    const ran = await run(['validate', '-', '--json'], { stdin: bad });
    expect(ran.code).toBe(2);
    expect(ran.json()).toMatchObject({
      valid: false,
      files: [
        {
          file: '<stdin>',
          problems: expect.arrayContaining([
            expect.objectContaining({ code: 'RL201', docs: 'docs/errors.md#rl201' }),
          ]) as unknown,
        },
      ],
    });
    expect((await run(['validate', '-'], { stdin: bad })).stdout).toContain(
      `RL201: ${docsUrlOf('RL201')}, or type: renderline explain RL201`,
    );
  });

  test('validate reports a test file with the command that runs it', async () => {
    const cwd = folderWith({ 'a b.test.yaml': 'tests: []\n' });
    const ran = await run(['validate', 'a b.test.yaml'], { cwd });
    expect([ran.code, ran.stdout.match(/ error /g)]).toEqual([2, [' error ']]);
    expect(ran.stdout).toContain("hint: Run the tests: renderline test 'a b.test.yaml'");
  });

  test('validate also links problems of tests to the docs', async () => {
    const cwd = folderWith({ 'a.test.yaml': 'tests: []\n' });
    const ran = await run(['test', 'a.test.yaml', '--json'], { cwd });
    const problems = [expect.objectContaining({ docs: expect.stringMatching(/errors\.md#rl/) })];
    expect([ran.code, ran.json()]).toMatchObject([2, { code: 'INVALID_TESTS', problems }]);
  });

  test('validate checks the pipelines of folders and their subfolders, each of them once', async () => {
    const cwd = folderWith({
      'p/a.yaml': good,
      'p/deep/b.yml': good.replace('nodes:', 'nodes: '),
      'p/renderline.yaml': 'taskQueue: x\n',
      'p/node_modules/c.yaml': good,
      'p/.git/d.yaml': good,
      'p/notes.txt': 'nodes:\n',
    });
    const ran = await run(['validate', 'p', 'p/a.yaml', '--json'], { cwd });
    expect(ran.json<{ files: { file: string }[] }>().files.map(({ file }) => file)).toEqual([
      'p/a.yaml',
      'p/deep/b.yml',
    ]);
  });

  test.each([
    ['validate', 'NO_PIPELINES'],
    ['test', 'NO_TESTS'],
  ])(
    '%s of a folder without pipelines or tests prints an error that contains the folder',
    async (name, code) => {
      const cwd = folderWith({ 'a.yaml': 'b: 1\n' });
      const ran = await run([name, '.', '--json'], { cwd });
      const message = expect.stringContaining(` in ${cwd}`) as string;
      expect([ran.code, ran.json()]).toMatchObject([5, { code, message }]);
    },
  );
});
