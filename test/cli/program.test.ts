import { describe, expect, test } from 'vitest';
import { run, startCli } from './_run-cli.ts';

describe('a usage error', () => {
  test.each([
    [
      'an unknown command',
      ['aip'],
      /renderline has no command "aip"\.\n {2}Did you mean api\? See: renderline --help\n/,
    ],
    ['help for an unknown command', ['help', 'nope'], /renderline has no command "nope"\.\n/],
    ['help for an unknown subcommand', ['help', 'run', 'nope'], /renderline run has no subcommand/],
    [
      'an unknown option',
      ['api', '--lst=5'],
      /renderline api has no option --lst\.\n {2}Did you mean --list\? See: renderline api --help\n/,
    ],
    [
      'a misspelled global option',
      ['runs', '--jsn'],
      /renderline runs has no option --jsn\.\n {2}Did you mean --json\?/,
    ],
    [
      'too many arguments',
      ['api', 'a', 'b c'],
      /renderline api takes at most 1 argument; received: "a", "b c"\.\n.*See: renderline api --help/,
    ],
    ['an argument where none is accepted', ['runs', 'x'], /takes no arguments; received: "x"/],
    ['an empty argument', ['apply', ''], /renderline apply <paths> is empty\.\n.*shell variable/],
    ['an empty option', ['runs', '--pipeline', ''], /renderline runs --pipeline is empty\./],
    ['an empty global option', ['runs', '--task-queue', ''], /--task-queue is empty\./],
    [
      'an empty value among several',
      ['plan', 'a', '--only', 'a', '--only', ''],
      /--only is empty\./,
    ],
    ['a missing argument', ['plan'], /renderline plan needs <file>: pipeline file\./],
    ['a missing option', ['backfill', 'a'], /renderline backfill needs --from <time>\./],
    [
      'a value that an option does not offer',
      ['init', '--for', "it's"],
      /renderline init --for "it's" is not one of: catalog, colorways, factory-sheets, events\./,
    ],
    [
      'a value that an argument does not offer',
      ['completion', 'bsh'],
      /renderline completion shell "bsh" is not one of: bash, zsh, fish\.\n {2}Did you mean bash\?/,
    ],
    [
      'an unknown subcommand',
      ['schedules', 'list'],
      /renderline schedules has no subcommand "list"\. Available: pause, resume, trigger\.\n.*See: renderline schedules --help/,
    ],
    [
      'an unknown subcommand after an option with a value',
      ['--task-queue', 'q', 'schedules', 'bogus'],
      /renderline schedules has no subcommand "bogus"\. Available: pause, resume, trigger\.\n/,
    ],
    [
      'an unknown subcommand of platform',
      ['platform', 'bogus'],
      /platform has no subcommand "bogus"/,
    ],
    ['a limit that is not a pair', ['run', 'x.yaml', '--limit', 'x'], /--limit renders=100/],
    ...['pause', 'resume', 'trigger'].map((command): [string, string[], RegExp] => [
      `an empty reason of schedules ${command}`,
      ['schedules', command, 'a', '--reason', ' '],
      /--reason has 0 characters; the limit is 1 to 500\./,
    ]),
    ['a value that is not a duration', ['test', '--timeout', 'x'], /--timeout 2m/],
    [
      'a duration that no date is away from now',
      ['link', 'RUN', '--for', 'Ada', '--within', '999999999d'],
      /--within "999999999d" must be at most 36500d/,
    ],
    ['a rerun without a run', ['rerun'], /rerun --since 7d --failed/],
    ['a pause without a run', ['pause'], /pause --all --reason TEXT \[--pipeline NAME\]/],
    [
      'an option without a value',
      ['api', 'getMe', '--query'],
      /renderline api --query needs a value\.\n {2}Write it as --query <name=value>\./,
    ],
    [
      'options that exclude each other',
      ['test', '--watch', '--junit', 'x.xml'],
      /renderline test --watch and --junit <file> cannot be combined\./,
    ],
    [
      'a build together with --unversioned',
      ['deployments', 'set-current', 'b1', '--unversioned'],
      /cannot be combined with the build b1/,
    ],
    [
      'an option that applies to many runs',
      ['report', 'r1', '--pipeline', 'x'],
      /--pipeline applies to many runs/,
    ],
  ])(
    'the usage error "%s" exits with 2, and prints one message on stderr and nothing on stdout',
    async (_name, argv, message) => {
      const ran = await run(argv);
      expect(ran.code).toBe(2);
      expect(ran.stderr).toMatch(message);
      expect(ran.stderr.match(/^error/gm)).toHaveLength(1);
      expect(ran.stdout).toBe('');
    },
  );

  test.each([
    [['aip']],
    [[]],
    [['help', 'nope']],
    [['plan']],
    [['api', '--query']],
    [['runs', 'x']],
    [['runs', '--nope']],
    [['test', '--watch', '--junit', 'x']],
    [['completion', 'x']],
  ])('%j with --json prints one error object on stdout', async (words) => {
    const ran = await run(['--json', ...words]);
    expect(ran.code).toBe(2);
    expect(ran.json()).toMatchObject({
      schema: 'renderline/error/v1',
      code: 'USAGE',
      message: expect.stringMatching(/^renderline /),
      fix: expect.stringContaining('See: renderline'),
    });
  });

  test.each([
    ['audit', '--format', 'csv'],
    ['report', 'r1', '--output', '-'],
    ['report', 'r1', '--format', 'csv', '--output', '-'],
  ])('--json with %s %s %s %s is refused', async (...argv) => {
    const ran = await run([...argv, '--json']);
    expect([ran.code, ran.json()]).toMatchObject([2, { code: 'USAGE' }]);
  });

  test.each([['plan'], ['run'], ['validate'], ['test'], ['apply'], ['clean'], ['graph']])(
    '%s of a missing file exits with 5',
    async (command) => {
      const ran = await run([command, 'none.yaml']);
      expect(ran.code).toBe(5);
      expect(ran.stdout + ran.stderr).toMatch(/none\.(test\.)?yaml/);
    },
  );

  test('--config with a missing file is an error, whatever the command needs', async () => {
    const ran = await run(['schema', '--config', 'none.yaml', '--json']);
    expect([ran.code, ran.json()]).toMatchObject([2, { code: 'CONFIG' }]);
  });

  test.each([
    ['api', 'createModels', '--body', '@src'],
    ['replay', '--bundle', 'src'],
  ])('%s %s reports that a folder is not a file', async (...argv) => {
    const env = { RENDERLINE_BASE_URL: 'http://127.0.0.1:1', RENDERLINE_API_KEY: 'k_k_k' };
    const ran = await run(argv, { env });
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('/src is a folder.')]);
  });

  test.each([
    ['plan', 'src', 'hint: Use a pipeline file in the folder.'],
    ['validate', 'none.yaml', 'hint: Check the path of the file.'],
    ['test', 'none.yaml', 'Test file not found: none.test.yaml. No test was run.'],
  ])('%s %s prints: %s', async (command, path, text) => {
    const ran = await run([command, path]);
    expect(ran.stdout + ran.stderr).toContain(text);
  });

  test('`platform` without a subcommand is `platform list`', async () => {
    const ran = await run(['platform', '--json']);
    expect(ran.json()).toMatchObject({ schema: 'renderline/error/v1', code: 'PLATFORM_NOT_SET' });
  });

  test('a missing command is reported together with the help', async () => {
    const ran = await run([]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('Usage: renderline');
  });
});

test('requested help and version go to stdout', async () => {
  const help = await run(['--help']);
  expect([help.code, help.stderr]).toEqual([0, '']);
  expect(help.stdout).toContain('Usage: renderline');
  const version = await run(['--version']);
  expect([version.code, version.stdout]).toEqual([0, '1.0.0\n']);
});

test('--json prints help and version as objects', async () => {
  const version = await run(['--version', '--json']);
  expect(version.json()).toEqual({ schema: 'renderline/version/v1', version: '1.0.0' });
  const usage = {
    '--help': 'renderline',
    'run --help': 'renderline run',
    'help run': 'renderline run',
  };
  for (const [line, command] of Object.entries({
    ...usage,
    'api getMe --help': 'renderline api getMe',
  })) {
    const help = await run([...line.split(' '), '--json']);
    expect([help.code, help.json()]).toEqual([
      0,
      { schema: 'renderline/help/v1', text: expect.stringContaining(`Usage: ${command}`) },
    ]);
  }
});

test('`help` also shows the help of a subcommand', async () => {
  const { stdout } = await run(['help', 'schedules', 'pause']);
  expect(stdout).toContain('Usage: renderline schedules pause');
});

test('a global option may be before or after the command', async () => {
  const before = await run(['--json', 'api', '--list']);
  const after = await run(['api', '--list', '--json']);
  expect(before.stdout).toBe(after.stdout);
});

test('an interrupt ends a command that does not handle it with exit 130', async () => {
  const { interrupts, done } = startCli(['api', 'updateModel', '--body', '-'], {
    env: { RENDERLINE_BASE_URL: 'http://127.0.0.1:1', RENDERLINE_API_KEY: 'k_k_k' },
  });
  interrupts.interrupt();
  expect((await done).code).toBe(130);
});
