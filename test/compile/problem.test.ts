import { describe, expect, it } from 'vitest';
import { formatProblems, type Problem } from '../../src/compile/yaml/problem.ts';
import { compile, placesOf, withNodes } from './_compile.ts';

const source = 'name: shoes\nnodes:\n  - id: take\n\ttype: rendr\n';
const problem: Problem = {
  code: 'RL301',
  severity: 'error',
  message: 'there is no node type "rendr"',
  file: 'pipelines/a.yaml',
  line: 4,
  col: 8,
  endLine: 4,
  endCol: 13,
  hint: 'Did you mean "render"?',
};

describe('a problem as text', () => {
  it('a problem starts with its position, shows the line, marks the text, and ends with a hint', () => {
    expect(formatProblems([problem], source)).toBe(
      [
        'pipelines/a.yaml:4:8 error RL301 there is no node type "rendr"',
        '  3 |   - id: take',
        '  4 |  type: rendr',
        '    |        ^^^^^',
        '  hint: Did you mean "render"?',
      ].join('\n'),
    );
  });

  it('a problem starts on a line of its own', () => {
    const warning: Problem = { ...problem, severity: 'warning', code: 'RL307', line: 1, col: 1 };
    const text = formatProblems([problem, warning], source);
    expect(text.match(/^pipelines\/a\.yaml:\d+:\d+ (error|warning) RL\d{3} /gm)).toHaveLength(2);
  });

  it.each([
    ['a note', { ...problem, severity: 'note' as const }, source],
    ['a problem on a missing line', { ...problem, line: 99 }, source],
    ['a problem in a file that could not be read', problem, null],
  ])('formatProblems() prints no frame for %s', (_name, one, text) => {
    const lines = formatProblems([one], text).split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toBe('  hint: Did you mean "render"?');
  });

  it.each([
    ['up to the end of the first line if it spans several', { col: 3, endLine: 9, endCol: 1 }, 10],
    ['one character if it is empty', { col: 3, endLine: 3, endCol: 3 }, 1],
  ])('the frame marks %s', (_name, place, width) => {
    const text = formatProblems([{ ...problem, line: 3, ...place }], source);
    expect(/\^+/.exec(text)?.[0]).toHaveLength(width);
  });

  it('the frame cuts a very long line around the position', () => {
    const long = `a: ${'x'.repeat(5000)}wrong${'y'.repeat(5000)}`;
    const at = long.indexOf('wrong') + 1;
    const text = formatProblems(
      [{ ...problem, line: 1, col: at, endLine: 1, endCol: at + 5 }],
      long,
    );
    const [, shown = '', marks = ''] = text.split('\n');
    expect(shown.length).toBeLessThan(200);
    expect(shown.slice(marks.indexOf('^'), marks.lastIndexOf('^') + 1)).toBe('wrong');
  });

  it.each([
    'password: hush-4711',
    'password: HUSH4711',
    'passwordFrom: hush4711',
    '"secretAccessKey": "hush/4711+"',
    "apiKey: 'hush4711'",
    'container: "AccountName=a;AccountKey=hush4711=="',
    'endpoint: https://me:hush@store.example',
    'path: "https://store.example/a?X-Amz-Signature=hush"',
    'url: https://hooks.slack.com/services/T0/B0/hush',
    'url: https://acme.webhook.office.com/webhookb2/hush',
  ])('the frame does not repeat a secret that was written into the file: %s', (line) => {
    const at = { ...problem, line: 2, col: 1, endLine: 2, endCol: 4 };
    expect(formatProblems([at], `name: shoes\n${line}\n`).split('\n')).toEqual([
      'pipelines/a.yaml:2:1 error RL301 there is no node type "rendr"',
      '  hint: Did you mean "render"?',
    ]);
    const next = formatProblems([{ ...at, line: 3, endLine: 3 }], `a: 1\n${line}\nnodes:\n`);
    expect(next).toContain('  3 | nodes:\n    | ^^^');
    expect(next.toLowerCase()).not.toContain('hush');
  });

  it.each([
    'privateKeyFrom: RENDERLINE_SECRET_FILES',
    'secretFrom: HOOKSECRET',
    'start: { http: { tokenFrom: [RENDERLINE_SECRET_A, RENDERLINE_SECRET_B] } }',
    'token: "${{ params.token }}"',
    'when: row.secret == "x"',
    'endpoint: https://store.example/path?page=2',
    'hostKey: "SHA256:47DEQpj8HBSa"',
  ])('the frame shows a line that only names where a secret is: %s', (line) => {
    const at = { ...problem, line: 1, col: 1, endLine: 1, endCol: 4 };
    expect(formatProblems([at], line)).toContain(`  1 | ${line}\n`);
  });

  it('the frame shows the same lines for any line ends and with a byte order mark', () => {
    const plain = formatProblems([problem], source);
    expect(formatProblems([problem], source.replaceAll('\n', '\r\n'))).toBe(plain);
    expect(
      formatProblems([{ ...problem, line: 1, col: 1, endCol: 5 }], `\uFEFF${source}`),
    ).toContain('  1 | name: shoes\n    | ^^^^');
  });

  it('the frame contains no control characters of a hostile file', () => {
    const evil = 'x\u001B[2J\u0007\u202E\u009B';
    const text = formatProblems(
      [
        {
          ...problem,
          line: 1,
          col: 1,
          message: `${evil}\nb.yaml:1:1 error`,
          file: evil,
          hint: evil,
        },
      ],
      evil,
    );
    // oxlint-disable-next-line no-control-regex -- control characters are searched for
    expect(text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]/);
    expect(text).not.toMatch(/^b\.yaml/m);
  });

  it.each([
    ['error', '31'],
    ['warning', '33'],
  ] as const)('the severity "%s" is coloured if colour is requested', (severity, code) => {
    const text = formatProblems([{ ...problem, severity }], source, { color: true });
    expect(text).toContain(`\u001B[${code}m${severity} RL301\u001B[0m`);
    expect(text.startsWith('pipelines/a.yaml:4:8 ')).toBe(true);
  });
});

describe('several problems', () => {
  it('several problems are reported in the order of the file', () => {
    const text = withNodes(
      '{ id: ready, type: model_redy, parentIds: [take, nobody] }',
      '{ id: shots, type: render, parentIds: [ready], timeout: 90d, config: { weit: 1 } }',
      '{ id: e, type: export, parentIds: [shots], config: { connector: ot, naming: "{{ nam }}" } }',
    ).replace('name: test', 'name: "?"\ncanary: 1');
    expect(placesOf(text)).toEqual([
      '1:7 RL204',
      '2:9 RL203',
      '9:24 RL301',
      '9:54 RL302',
      '10:61 RL205',
      '10:76 RL201',
      '11:69 RL303',
      '11:82 RL521',
    ]);
  });

  it('each problem is reported once, without mistakes that only follow from another', () => {
    const { problems } = compile(
      withNodes('{ id: "${{ params.x }}", type: nothing, parentIds: [take] }'),
    );
    const errors = problems.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ code }) => code)).toEqual(['RL306', 'RL301']);
  });
});
