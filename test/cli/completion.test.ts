// Completion: the candidates for a command line, and the scripts in real shells if these are installed.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { startSandbox } from '../../packages/sandbox/src/server/server.ts';
import { conditionsOf } from '../../src/app/completion/name-candidates.ts';
import { completionScripts, shells } from '../../src/cli/completion/scripts.ts';
import { folderWith } from './_folder.ts';
import { run } from './_run-cli.ts';

// Commands in this file must not find a Temporal server.
const env = { TEMPORAL_ADDRESS: '127.0.0.1:1' };
const pipeline =
  'name: x\nparameters:\n  folder: { type: path }\n  out: { type: path }\nnodes: []\n';
const choices = `name: x
parameters:
  look: { type: enum, values: [Studio, Street, Stage] }
  draft: { type: boolean }
  style: { type: enum, values: { from: templates } }
nodes: []
`;

/** The candidates for the last word. */
async function offered(words: string[], more: Record<string, string> = {}): Promise<string[]> {
  const cwd = folderWith({
    'catalog.yaml': pipeline,
    'choices.yaml': choices,
    'broken.yaml': 'a: [\n',
  });
  const world = { cwd, env: { ...env, ...more } };
  const { code, stdout, stderr } = await run(['__complete', '--', ...words], world);
  expect([code, stderr]).toEqual([0, '']);
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t')[0] ?? '');
}

describe('the candidates', () => {
  test.each<[string[], string[]]>([
    [['vali'], ['validate']],
    [['re'], ['report', 'rerun', 'resume', 'replay']],
    [['run', '--pri'], ['--priority']],
    [
      ['run', 'catalog.yaml', '--priority', ''],
      ['urgent', 'normal', 'bulk'],
    ],
    [['run', 'catalog.yaml', '--priority', 'u'], ['urgent']],
    [['--json', 'run', '--qu'], ['--quiet']],
    [
      ['run', 'catalog.yaml', '--param', ''],
      ['folder=', 'out='],
    ],
    [['run', 'catalog.yaml', '--param', 'folder=a', '--param', 'o'], ['out=']],
    [
      ['run', 'choices.yaml', '--param', 'look=St'],
      ['look=Studio', 'look=Street', 'look=Stage'],
    ],
    [['plan', 'choices.yaml', '--param', 'look=Str'], ['look=Street']],
    [
      ['run', 'choices.yaml', '--param', 'draft='],
      ['draft=true', 'draft=false'],
    ],
    [['run', 'catalog.yaml', '--param', 'folder=m'], []],
    // No platform is configured.
    [['run', 'choices.yaml', '--param', 'style='], []],
    [['run', 'broken.yaml', '--param', ''], []],
    [['run', 'none.yaml', '--param', ''], []],
    [['run', ''], [':files']],
    [['validate', 'a.yaml', 'b'], [':files']],
    [
      ['schedules', ''],
      ['pause', 'resume', 'trigger'],
    ],
    [
      ['platform', 'pu'],
      ['push', 'pull'],
    ],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [
      ['explain', 'RL20'],
      ['RL201', 'RL202', 'RL203', 'RL204', 'RL205'],
    ],
    [
      ['api', 'getRender'],
      ['getRenderJob', 'getRenderBatch'],
    ],
    // Temporal is down: no candidates and no error.
    [['show', ''], []],
    [['runs', '--pipeline', ''], []],
    [['rerun', 'x', '--where', ''], []],
    [['schedules', 'pause', ''], []],
    [['audit', '--run', ''], []],
    [['platform', 'pull', ''], []],
    [['run', 'catalog.yaml', '--limit', ''], []],
    [['test', '--junit', ''], [':files']],
    [['doctor', ''], [':files']],
    [
      ['help', 'sch'],
      ['schema', 'schedules'],
    ],
    [['help', 'schedules', 'p'], ['pause']],
    [['nonsense', ''], []],
    [['run', 'a', 'b', 'c'], []],
  ])('the candidates for %j are %j', async (words, values) => {
    expect(await offered(words)).toEqual(values);
  });

  test('the candidates for a parameter with values from the workspace are the names of these values, or none if the platform is down', async () => {
    const sandbox = await startSandbox({ seed: 1, pictureScale: 0, rateLimit: 0 });
    const platform = { RENDERLINE_BASE_URL: sandbox.url, RENDERLINE_API_KEY: sandbox.apiKey };
    const words = ['run', 'choices.yaml', '--param', 'style=T'];
    expect(await offered(words, platform)).toEqual(['style=Turntable']);
    expect(await offered([...words.slice(0, 3), "'style=Hero"], platform)).toEqual([
      'style=Hero Dark',
    ]);
    const { RENDERLINE_BASE_URL: url, ...key } = platform;
    expect(await offered(['--base-url', url, ...words], key)).toEqual(['style=Turntable']);
    await sandbox.stop();
    expect(await offered(words, platform)).toEqual([]);
  });

  test('the candidates for a condition on failures are the nodes of a run, not their steps', () => {
    const offeredConditions = conditionsOf(['take', 'shots.submit', 'shots.await', 'files']);
    expect(offeredConditions.map(({ value }) => value)).toEqual([
      'node == "take"',
      'node == "shots"',
      'node == "files"',
    ]);
  });

  test('the candidates for an empty line are all commands with their descriptions', async () => {
    const { stdout } = await run(['__complete', '--', '']);
    expect(stdout).toContain(
      'run\tstart a run, and follow it to its end with --wait; asks first only with --only,',
    );
    expect(stdout.split('\n').length).toBeGreaterThan(25);
  });
});

const hasShell = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;

/** A folder with a program named renderline, for which a shell completes a command line. */
function inShell(): { folder: string; path: string } {
  const main = fileURLToPath(new URL('../../dist/program/cli/main.js', import.meta.url));
  const folder = folderWith({
    'catalog.yaml': pipeline,
    'bin/renderline': `#!/bin/sh\nTEMPORAL_ADDRESS=127.0.0.1:1 exec '${process.execPath}' '${main}' "$@"\n`,
    ...Object.fromEntries(shells.map((shell) => [`script.${shell}`, completionScripts[shell]])),
  });
  chmodSync(join(folder, 'bin/renderline'), 0o755);
  return { folder, path: `${join(folder, 'bin')}:${process.env['PATH']}` };
}

describe('in a shell', () => {
  test.skipIf(!hasShell('bash'))('bash completes a command line', () => {
    const { folder, path } = inShell();
    const complete = (line: string) => {
      const words = line.split(' ');
      const script = `source script.bash
COMP_WORDS=(renderline ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}
COMP_LINE='renderline ${line}'
_renderline renderline '${words.at(-1)}'
printf '%s\\n' "\${COMPREPLY[@]}"; complete -p renderline`;
      const env = { ...process.env, PATH: path };
      return execFileSync('bash', ['-c', script], { cwd: folder, env, encoding: 'utf8' })
        .trim()
        .split('\n');
    };
    const declared = 'complete -F _renderline renderline';
    expect(complete('vali')).toEqual(['validate', declared]);
    expect(complete('run catalog.yaml --param ')).toEqual(['folder=', 'out=', declared]);
    expect(complete('run cat')).toEqual(['catalog.yaml', declared]);
    expect(complete('show ')).toEqual([declared]);
  });

  /** Bash's replacements for `typed`, with words split as readline splits them. */
  test.skipIf(!hasShell('bash')).each([
    ['show shoes-2026T1', ['show', 'shoes-2026T1'], ['shoes-2026T19:55:00Z']],
    ['show shoes-2026T19:5', ['show', 'shoes-2026T19', ':', '5'], ['55:00Z']],
    ['show shoes-2026T19:', ['show', 'shoes-2026T19', ':'], ['55:00Z']],
    [`rerun x --where 'node == "l`, ['rerun', 'x', '--where', `'node == "l`], ['node == "look"']],
    [
      String.raw`rerun x --where node\ ==\ \"l`,
      ['rerun', 'x', '--where', String.raw`node\ `, '==', String.raw`\ \"l`],
      [String.raw`\ \"look\"`],
    ],
  ])('bash completes %s', (line, words, left) => {
    const folder = folderWith({
      'bin/renderline': `#!/bin/sh
for last; do :; done
case $last in node*) echo 'node == "look"' ;; *) echo shoes-2026T19:55:00Z ;; esac
`,
      'script.bash': completionScripts.bash,
    });
    chmodSync(join(folder, 'bin/renderline'), 0o755);
    const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
    const typed = (words.at(-1) ?? '').replace(/^[':]/, '');
    const script = `source script.bash
COMP_WORDS=(renderline ${words.map(quoted).join(' ')}); COMP_CWORD=${words.length}
COMP_LINE=${quoted(`renderline ${line}`)}
_renderline renderline ${quoted(typed)}
printf '%s\\n' "\${COMPREPLY[@]}"`;
    const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH']}` };
    const said = execFileSync('bash', ['-c', script], { cwd: folder, env, encoding: 'utf8' });
    expect(said.split('\n').slice(0, -1)).toEqual(left);
  });

  /** Types in a shell at a terminal. Returns the program's arguments, and files that malicious names have created. */
  const typedAt = (shell: string, value: string, typed: string) => {
    const folder = folderWith({
      value,
      // Without arguments the program lists names, otherwise it writes its arguments to a file.
      'bin/renderline': `#!/bin/sh
if [ "$1" = __complete ]; then printf '%s\\ttold\\n' "$(cat value)"; exit; fi
printf '%s\\0' "$@" > got
`,
      [`script.${shell}`]: completionScripts[shell as 'bash'],
    });
    chmodSync(join(folder, 'bin/renderline'), 0o755);
    execFileSync('script', ['-qec', 'bash --norc --noprofile -i', '/dev/null'], {
      cwd: folder,
      env: { ...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, TERM: 'xterm' },
      input: `source script.bash\n${typed}\t\nexit\n`,
      // With an open quote the shell would wait forever.
      timeout: 60_000,
    });
    const evil = readdirSync(folder).filter((name) => name.startsWith('EVIL'));
    const got = existsSync(join(folder, 'got')) ? readFileSync(join(folder, 'got'), 'utf8') : '';
    return { got: got.split('\0').slice(0, -1), evil };
  };
  const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

  test
    .skipIf(!hasShell('bash') || !hasTerminal)
    .each(
      ['', '"', "'"].flatMap((quote) =>
        [
          'p $(touch EVIL) `touch EVIL` ${HOME} $HOME',
          'p; touch EVIL & touch EVIL | touch EVIL > EVIL',
          'p "quoted" \'quoted\' \\ back\\slash',
          "p' ; touch EVIL ; '",
          'p" ; touch EVIL ; "',
          'p !! !touch !x !',
          'p *.bash ~ {a,b} [x] ?',
        ].map((value) => [quote, value] as const),
      ),
    )('bash, at a terminal after %s, completes the name %s literally', (quote, value) => {
    const { got, evil } = typedAt('bash', value, `renderline show ${quote}p`);
    expect(evil).toEqual([]);
    expect(got).toEqual(['show', value]);
  });

  test.skipIf(!hasShell('fish'))('fish completes a command line', () => {
    const { folder, path } = inShell();
    const complete = (line: string) =>
      execFileSync('fish', ['--no-config', '-c', `source script.fish; complete -C '${line}'`], {
        cwd: folder,
        env: { ...process.env, PATH: path, HOME: folder },
        encoding: 'utf8',
      })
        .trim()
        .split('\n');
    expect(complete('renderline vali')[0]).toMatch(/^validate\tcheck pipeline files/);
    expect(complete('renderline run catalog.yaml --param ')).toEqual(['folder=', 'out=']);
    expect(complete('renderline run cat')).toEqual(['catalog.yaml']);
  });

  test.skipIf(!hasShell('zsh'))('zsh accepts the script', () => {
    const { folder, path } = inShell();
    const script =
      'autoload -U compinit; compinit -D -u; source script.zsh; print ${_comps[renderline]}';
    const env = { ...process.env, PATH: path, HOME: folder };
    const said = execFileSync('zsh', ['-f', '-c', script], { cwd: folder, env, encoding: 'utf8' });
    expect(said.trim()).toBe('_renderline');
  });
});
