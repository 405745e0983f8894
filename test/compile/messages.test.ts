// Messages about mistakes in the fields of a file: position, problem and hint.
import { describe, expect, it } from 'vitest';
import { told, withNodes } from './_compile.ts';

type Row = [what: string, text: string, told: string[], given?: Record<string, unknown>];

const file = withNodes();
const ready = '{ id: ready, type: model_ready, parentIds: [take] }';
/** A file with one parameter, on line 1. */
const withParameter = (declaration: string, text: string) =>
  `parameters: { x: ${declaration} }\n${text}`;
/** Its condition is on line 8, from column 63. */
const when = (condition: string) =>
  withNodes(`{ id: ready, type: model_ready, parentIds: [take], when: '${condition}' }`);

const groups: Record<string, Row[]> = {
  'a field': [
    [
      'that is close to a known one',
      `${file}\nbatchsize: 5`,
      [
        '8:1 RL201 "batchsize" is not a field of a pipeline | Did you mean "batchSize"? (only upper and lower case differ)',
      ],
    ],
    [
      'that is missing',
      file.replace('name: test\n', ''),
      ['1:1 RL202 "name" is missing | Add `name:`.'],
    ],
    [
      'of another type',
      `${file}\nbatchSize: many`,
      ['8:12 RL203 batchSize must be a number, not "many"'],
    ],
    ['out of its range', `${file}\nbatchSize: 101`, ['8:12 RL204 batchSize must be at most 100']],
    [
      'that occurs twice',
      `${file}\nname: again`,
      ['8:1 RL102 the key "name" occurs twice in this mapping'],
    ],
  ],
  'a time': [
    [
      'that is too short for a node',
      withNodes('{ id: ready, type: model_ready, parentIds: [take], timeout: 10ms }'),
      ['8:65 RL204 a timeout must be at least 1s'],
    ],
    [
      'that is too short for an approval',
      `${file}\ncanary: { assets: 5, timeout: 999ms }`,
      ['8:31 RL204 an approval timeout must be at least 1s'],
    ],
    [
      'that the type does not allow',
      withNodes(ready, '{ id: s, type: render, parentIds: [ready], timeout: 24h }'),
      [
        '9:57 RL205 a timeout of render must be at most 23h, not 1d | Shorten the timeout: submitted work can be queried only within that time.',
      ],
    ],
    [
      'that is longer than any timeout is reported once',
      withNodes(ready, '{ id: s, type: render, parentIds: [ready], timeout: 31d }'),
      ['9:57 RL205 nodes[2].timeout is longer than 30d'],
    ],
  ],
  'a name': [
    [
      'that is close to a node type',
      withNodes('{ id: ready, type: model_redy, parentIds: [take] }'),
      ['8:24 RL301 the node type "model_redy" does not exist | Did you mean "model_ready"?'],
    ],
    [
      'that is close to a parent',
      withNodes('{ id: ready, type: model_ready, parentIds: [taek] }'),
      ['8:49 RL302 node "ready" follows "taek", which does not exist | Did you mean "take"?'],
    ],
    [
      'that is not close to any parent',
      withNodes('{ id: ready, type: model_ready, parentIds: [zzzzzz] }'),
      ['8:49 RL302 node "ready" follows "zzzzzz", which does not exist | Available: take.'],
    ],
    [
      'that is close to a connector',
      file.replace('connector: models', 'connector: model'),
      ['7:60 RL303 the connector "model" does not exist | Did you mean "models"?'],
    ],
    [
      'that is not close to any connector',
      file.replace('connector: models', 'connector: zzzzzz'),
      ['7:60 RL303 the connector "zzzzzz" does not exist | Available: models, out.'],
    ],
    [
      'of a parameter in a file without parameters',
      file.replace('path: out', 'path: "${{ params.x }}"'),
      ['4:30 RL304 the parameter "x" is not declared'],
    ],
    [
      'of a parameter that is not declared',
      withParameter(
        '{ type: string, default: a }',
        file.replace('path: out', 'path: "${{ params.y }}${{ params.x }}"'),
      ),
      ['5:30 RL304 the parameter "y" is not declared | Available: x.'],
    ],
  ],
  'an interpolation': [
    [
      'of another value',
      file.replace('path: out', 'path: "${{ env.HOME }}"'),
      ['4:30 RL306 ${{ env.HOME }} is not an interpolation | Write ${{ params.NAME }}.'],
    ],
    ...[
      ['the name', 'name: test', 'name: "${{ params.x }}"', '2:8'],
      ['an id', 'id: take', 'id: "${{ params.x }}"', '8:12'],
      ['a type', 'type: connector_poll', 'type: "${{ params.x }}"', '8:24'],
      ['a connector type', 'type: local, path: out', 'type: "${{ params.x }}", path: out', '5:17'],
    ].map(
      ([name = '', part = '', by = '', place = '']): Row => [
        `in ${name}`,
        withParameter('{ type: string, default: a }', file.replace(part, by)),
        [`${place} RL306 ${name} must not contain a parameter`],
      ],
    ),
    [
      'in parentIds, which is not also reported as a missing parent',
      withParameter(
        '{ type: string, default: take }',
        withNodes('{ id: r, type: model_ready, parentIds: ["${{ params.x }}"] }'),
      ),
      ['9:46 RL306 parentIds must not contain a parameter'],
    ],
    [
      'in a schedule',
      withParameter(
        '{ type: string, default: a }',
        `${file}\nschedule: { cron: "\${{ params.x }}" }`,
      ),
      ['9:20 RL306 a schedule must not contain a parameter'],
    ],
    [
      'in an expression',
      withParameter('{ type: string, default: a }', when('asset.name == "${{ params.x }}"')),
      [
        '9:62 RL306 an expression must not contain ${{ }} | Read a parameter as params.NAME, without ${{ }}.',
      ],
    ],
  ],
  'a parameter': [
    [
      'with a name that expressions cannot use',
      `parameters: { a-b: { type: string, default: a } }\n${file}`,
      [
        '1:15 RL308 the parameter name "a-b" must consist of at most 63 letters, digits and _, and not begin with a digit',
        '1:15 RL307 the parameter "a-b" is never used',
      ],
    ],
    ...[
      ['integer', '1'],
      ['number', '1.5'],
      ['boolean', 'true'],
      ['string', 'TEXT'],
      ['path', 'FOLDER'],
      ['enum, values: [web, print]', 'web'],
    ].map(
      ([type = '', example = '']): Row => [
        `of type ${type} without a value`,
        withParameter(`{ type: ${type} }`, `${file}\ndescription: "for \${{ params.x }}"`),
        [`1:15 RL309 the parameter "x" has no value | Add --param x=${example}.`],
        {},
      ],
    ),
    [
      'that is misspelled on the command line',
      `parameters: { folder: { type: string, default: a } }\n${file}\ndescription: "\${{ params.folder }}"`,
      ['1:1 RL310 --param fodler: the file does not declare "fodler" | Did you mean "folder"?'],
      { fodler: 'a' },
    ],
    [
      'that is given for a file without parameters',
      file,
      ['1:1 RL310 --param x: the file does not declare "x" | The file declares no parameters.'],
      { x: 'a' },
    ],
  ],
  'a secret': [
    [
      'in the URL of a receiver',
      `${file}\nnotify: [{ url: "https://a.example/in?token=hush-4711", secretFrom: RENDERLINE_SECRET_A }]`,
      [
        '8:17 RL204 notify[0].url contains a secret, which the history of each run would show: write the URL into a variable of the worker that begins with RENDERLINE_SECRET_, and name the variable in `urlFrom`',
      ],
    ],
    [
      'of digits in place of its name',
      `${file}\nnotify: [{ url: "https://a.example/in", secretFrom: 4711471147 }]`,
      ['8:53 RL203 notify[0].secretFrom must be text, not a number'],
    ],
    [
      'in a URL that is given as a folder',
      `parameters: { x: { type: path } }\n${file}\ndescription: "for \${{ params.x }}"`,
      ['1:15 RL311 --param x: "https://[redacted]@files.example/in" is a URL, not a path'],
      { x: 'https://me:hush-4711@files.example/in' },
    ],
    [
      'that files may not refer to',
      `${file}\nnotify: [{ url: "https://a.example/in", secretFrom: HOME }]`,
      [
        '8:53 RL315 HOME does not begin with RENDERLINE_SECRET_, and RENDERLINE_ALLOW_SECRETS does not allow it | Rename the variable and write `secretFrom: RENDERLINE_SECRET_HOME`, or set RENDERLINE_ALLOW_SECRETS=HOME in the environment of the worker and of the command.',
      ],
    ],
    [
      'that would be sent unencrypted',
      `${file}\nnotify: [{ url: "http://a.example/in", secretFrom: RENDERLINE_SECRET_A }]`,
      [
        '8:18 RL316 notify[0].url would receive it unencrypted: plain http is only allowed to this machine | Use https, or set RENDERLINE_ALLOW_HOSTS=a.example where Renderline runs.',
      ],
    ],
  ],
  'a schedule': [
    ...[
      [
        'with two kinds of times',
        'cron: "0 2 * * *", every: 1h',
        '8:32 RL703 a schedule has `cron` or `every`, not both | Remove one of the two.',
      ],
      [
        'without times',
        'overlap: skip',
        '8:1 RL703 the schedule does not define when runs start | Add `cron:` or `every:`.',
      ],
      [
        'with an interval and a time zone',
        'every: 1h, timezone: UTC',
        '8:24 RL703 `timezone` is for `cron`; an interval counts from 1970 in UTC | Remove `timezone`, or use `cron`.',
      ],
      [
        'with an offset, but without an interval',
        'cron: "0 2 * * *", offset: 1h',
        '8:32 RL705 `offset` shifts the starts of `every`, which is missing | Remove `offset`.',
      ],
      [
        'with an offset of a whole interval',
        'every: 1h, offset: 1h',
        '8:32 RL705 schedule.offset must be less than `every`',
      ],
      [
        'with fractions of a second',
        'every: 1500ms',
        '8:20 RL705 schedule.every must be whole seconds',
      ],
      [
        'with too much jitter',
        'every: 1h, jitter: 25h',
        '8:32 RL705 schedule.jitter must be at most 1d',
      ],
      [
        'that catches up less than Temporal does',
        'every: 1h, catchUp: 9s',
        '8:33 RL705 schedule.catchUp must be at least 10s',
      ],
      [
        'on a day that does not exist',
        'cron: "0 0 30 2 *"',
        '8:19 RL704 "0 0 30 2 *" is a date that never occurs',
      ],
    ].map(
      ([what = '', fields = '', words = '']): Row => [
        what,
        `${file}\nschedule: { ${fields} }`,
        [words],
      ],
    ),
    [
      'with the same name as another',
      `${file}\nschedule:\n  - { name: a, every: 1h }\n  - { name: a, every: 2h }`,
      ['10:13 RL706 two schedules are named "a" | Use a different name for each schedule.'],
    ],
    [
      'with values that do not fit the parameters',
      withParameter(
        '{ type: integer }',
        `${file}\nbatchSize: "\${{ params.x }}"\nschedule: { every: 1h, parameters: { x: many, y: 2 } }`,
      ),
      [
        '10:41 RL311 parameter "x": "many" is not a number',
        '10:47 RL310 the file does not declare "y" | Available: x.',
      ],
    ],
    [
      'without a value for a required parameter',
      withParameter(
        '{ type: integer }',
        `${file}\nbatchSize: "\${{ params.x }}"\nschedule:\n  - { name: a, every: 1h }`,
      ),
      [
        '11:5 RL309 scheduled runs need a value for the parameter "x" | Add the parameter under schedule[0].parameters.',
      ],
    ],
  ],
};

describe.each(Object.entries(groups))('messages about %s', (_, rows) => {
  it.each(rows)(
    'a mistake is reported at its position, with its message (%s)',
    (_what, text, words, given) => {
      expect(told(text, given ?? null)).toEqual(words);
    },
  );
});
