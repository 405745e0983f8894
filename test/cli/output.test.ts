import { describe, expect, test } from 'vitest';
import { docsUrlOf } from '../../src/app/docs-page.ts';
import { RenderlineError } from '../../src/app/renderline-error.ts';
import { Interrupts } from '../../src/cli/interrupts.ts';
import { Output } from '../../src/cli/output.ts';
import { LazyList } from '../../src/plan/helpers/lazy-list.ts';
import { Screen } from './_fake-io.ts';

function output(json: boolean, env: Record<string, string> = {}, tty = { out: false, err: false }) {
  const stdout = new Screen();
  const stderr = new Screen();
  stdout.isTTY = tty.out;
  stderr.isTTY = tty.err;
  const io = { stdout, stderr, stdin: process.stdin, env, cwd: '/', now: Date.now };
  return { stdout, stderr, output: new Output({ ...io, interrupts: new Interrupts() }, json) };
}

async function* noItems(): AsyncGenerator<never> {}

const answer = { schema: 'renderline/x/v1', value: 1 };

describe('the output', () => {
  test('a result is text for people, and one line of JSON with --json', () => {
    const people = output(false);
    people.output.result(answer, () => 'one');
    expect([people.stdout.text, people.stderr.text]).toEqual(['one\n', '']);
    const machine = output(true);
    machine.output.result(answer, () => 'one');
    expect([machine.stdout.text, machine.stderr.text]).toEqual([`${JSON.stringify(answer)}\n`, '']);
  });

  test('the items of a lazy list are read no faster than stdout takes them', async () => {
    const { output: out, stdout } = output(true);
    const count = 20_000;
    let read = 0;
    let longestPending = 0;
    const items = new LazyList(count, async function* () {
      for (; read < count; read += 1) {
        longestPending = Math.max(longestPending, read * 1_000 - stdout.text.length);
        yield { n: read, text: 'x'.repeat(1_000) };
      }
    });
    const shape = { schema: 'renderline/x/v1', items, empty: new LazyList(0, noItems) };
    await out.lazyResult(shape, () => '');
    const { items: printed, empty } = JSON.parse(stdout.text);
    expect([printed.length, printed[1].n, empty]).toEqual([count, 1, []]);
    expect(longestPending).toBeLessThan(200_000);
  });

  test('further lines of an error are indented, and control characters are shown', () => {
    const { output: out, stderr } = output(false);
    out.error(
      new RenderlineError(
        { exit: 4, code: 'CODE', fix: 'do\rthis' },
        'no file "a\nerror b\u001b[2J"',
      ),
    );
    expect(stderr.text).toMatch(
      /^error no file "a\n {2}error b\\u001b\[2J"\n {2}do\\rthis\n {2}CODE: /,
    );
  });

  test('a note is never on stdout', () => {
    for (const json of [true, false]) {
      const { output: out, stdout, stderr } = output(json);
      out.note('half way');
      expect([stdout.text, stderr.text]).toEqual(['', 'half way\n']);
    }
  });

  test('if logs are JSON, then the result, each note and each error is a line of JSON', () => {
    const env = { RENDERLINE_LOG_FORMAT: 'json' };
    const { output: out, stdout, stderr } = output(false, env, { out: true, err: true });
    out.result(answer, () => 'one');
    out.note('half way\nthere');
    out.error(new RenderlineError({ exit: 4, code: 'CODE', fix: 'do this' }, 'it broke'));
    const lines = (text: string) =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    expect(lines(stdout.text)).toMatchObject([answer, { schema: 'renderline/error/v1' }]);
    expect(lines(stderr.text)).toMatchObject([
      { level: 30, time: expect.stringMatching(/Z$/), msg: 'half way\nthere' },
      { level: 50, msg: 'it broke', code: 'CODE', fix: 'do this' },
    ]);
  });

  test('an expected approval is not an error, but a message and the command to type', () => {
    const end = { exit: 75, code: 'CODE', fix: 'type this' };
    const waits = new RenderlineError(end, 'it waits for approval', { isExpected: true });
    const people = output(false);
    people.output.error(waits);
    expect(people.stderr.text).toMatch(/^it waits for approval\n {2}type this\n/);
    expect(people.stderr.text).not.toContain('error ');
    const logs = output(false, { RENDERLINE_LOG_FORMAT: 'json' });
    logs.output.error(waits);
    expect(JSON.parse(logs.stderr.text)).toMatchObject({ level: 30, code: 'CODE' });
  });

  test('an error is a message and a fix on stderr, and with --json also one object with details', () => {
    const error = new RenderlineError(
      { exit: 4, code: 'CODE', fix: 'do this\nand that' },
      'it broke',
      {
        details: { run: 'r-1' },
      },
    );
    const people = output(false);
    people.output.error(error);
    expect([people.stdout.text, people.stderr.text]).toEqual([
      '',
      `error it broke\n  do this\n  and that\n  CODE: ${docsUrlOf('CODE')}\n`,
    ]);
    const machine = output(true);
    machine.output.error(error);
    expect(JSON.parse(machine.stdout.text)).toEqual({
      schema: 'renderline/error/v1',
      code: 'CODE',
      message: 'it broke',
      fix: 'do this\nand that',
      docs: 'docs/errors.md#code',
      run: 'r-1',
    });
    expect(machine.stderr.text).toContain('it broke');
  });

  test('an error without a fix has no empty line', () => {
    const { output: out, stderr } = output(false);
    out.error(new RenderlineError({ exit: 1, code: 'CODE', fix: '' }, 'it broke'));
    expect(stderr.text).toBe(`error it broke\n  CODE: ${docsUrlOf('CODE')}\n`);
  });
});

test('colours are enabled for each stream separately', () => {
  const mixed = output(false, {}, { out: false, err: true });
  expect(mixed.output.paint('red', 'x')).toBe('x');
  expect(mixed.output.paintNote('red', 'x')).not.toBe('x');
});
