// Every kind of mistake, with the exact position that is reported.
import { describe, expect, it } from 'vitest';
import { compile, placesOf, withNodes } from './_compile.ts';

const ready = '{ id: ready, type: model_ready, parentIds: [take] }';
const shots = '{ id: shots, type: render, parentIds: [ready] }';
/** withNodes writes the first of its nodes on line 8. */
const rows: { name: string; text: string; places: string[] }[] = [
  { name: 'no mistake in a valid pipeline', text: withNodes(ready, shots), places: [] },
  { name: 'a list instead of a mapping', text: '- a', places: ['1:1 RL203'] },
  {
    name: 'a misspelled field of the file',
    text: `${withNodes()}\nbatchsize: 5`,
    places: ['8:1 RL201'],
  },
  { name: 'a missing name', text: withNodes().replace('name: test', ''), places: ['2:1 RL202'] },
  {
    name: 'a batch size that no API call allows',
    text: `${withNodes()}\nbatchSize: 101`,
    places: ['8:12 RL204'],
  },
  { name: 'too many retries', text: `${withNodes()}\nmaxRetries: 11`, places: ['8:13 RL204'] },
  { name: 'text for a number', text: `${withNodes()}\nbatchSize: many`, places: ['8:12 RL203'] },
  ...[
    ['some assets', 'assets: 5'],
    ['some assets and a time', 'assets: 1, timeout: 2d12h'],
    ['no assets', 'assets: 0', '8:19 RL204'],
    ['a negative number', 'assets: -3', '8:19 RL204'],
    ['half an asset', 'assets: 2.5', '8:19 RL203'],
    ['text for a number', 'assets: five', '8:19 RL203'],
    ['a missing number', 'timeout: 1h', '8:1 RL202'],
    ['a misspelled field', 'assets: 5, timeuot: 1h', '8:22 RL201'],
    ['an invalid time', 'assets: 5, timeout: soon', '8:31 RL204'],
    ['a time of zero', 'assets: 5, timeout: 0s', '8:31 RL204'],
    ['more time than Temporal keeps', 'assets: 5, timeout: 31d', '8:31 RL205'],
  ].map(([what = '', fields = '', ...places]) => ({
    name: `a canary: ${what}`,
    text: `${withNodes()}\ncanary: { ${fields} }`,
    places,
  })),
  { name: 'a canary that is a number', text: `${withNodes()}\ncanary: 5`, places: ['8:9 RL203'] },
  ...[
    ['a count', 'failures: 20'],
    ['no failures', 'failures: 0, onBreach: pause'],
    ['a percentage', 'failures: "2.5%"'],
    ['more than 100%', 'failures: "101%"', '8:23 RL204'],
    ['a negative number', 'failures: -1', '8:23 RL204'],
    ['half an asset', 'failures: 0.5', '8:23 RL204'],
    ['a missing number', 'onBreach: stop', '8:1 RL202'],
    ['an unknown action', 'failures: 1, onBreach: halt', '8:36 RL204'],
    ['a misspelled field', 'failures: 1, onbreach: stop', '8:26 RL201'],
  ].map(([what = '', fields = '', ...places]) => ({
    name: `failures that are tolerated: ${what}`,
    text: `${withNodes()}\ntolerate: { ${fields} }`,
    places,
  })),
  {
    name: 'a receiver of notices',
    text: `${withNodes()}\nnotify: [{ url: "https://a.example/in", secretFrom: RENDERLINE_SECRET_HOOK, on: [failed] }]`,
    places: [],
  },
  {
    name: 'a receiver without a secret',
    text: `${withNodes()}\nnotify: [{ url: "https://a.example/in" }]`,
    places: ['8:10 RL204'],
  },
  {
    name: 'a receiver with a secret in its address',
    text: `${withNodes()}\nnotify: [{ url: "https://me:pw@a.example/in", secretFrom: RENDERLINE_SECRET_HOOK }]`,
    places: ['8:17 RL204'],
  },
  {
    name: 'a folder that is a URL',
    text: withNodes().replace(/path: [^ }]+/, 'path: "https://me:hush@files.example/in"'),
    places: ['3:32 RL204'],
  },
  {
    name: 'a secret in place of its name',
    text: `${withNodes()}\nnotify: [{ url: "https://a.example/in", secretFrom: whsec_abc }]`,
    places: ['8:53 RL204'],
  },
  {
    name: 'an outcome that no run has',
    text: `${withNodes()}\nnotify: [{ url: "https://a.example/in", secretFrom: RENDERLINE_SECRET_HOOK, on: [broken] }]`,
    places: ['8:82 RL204'],
  },
  ...[
    [
      'a receiver of notices about assets',
      'url: "https://a.example/in", secretFrom: RENDERLINE_SECRET_HOOK',
    ],
    ['without a secret', 'url: "https://a.example/in"', '8:58 RL204'],
    [
      'with a password',
      'url: "https://me:pw@a.example/in", secretFrom: RENDERLINE_SECRET_HOOK',
      '8:65 RL204',
    ],
    ['without a protocol', 'url: a.example, secretFrom: RENDERLINE_SECRET_HOOK', '8:65 RL204'],
    [
      'with a secret in place of its name',
      'url: "https://a.example/in", secretFrom: whsec_abc',
      '8:101 RL204',
    ],
    [
      'with a misspelled field',
      'url: "https://a.example/in", secretFrom: RENDERLINE_SECRET_HOOK, onFailur: fail',
      '8:125 RL201',
    ],
    [
      'with an end that is none',
      'url: "https://a.example/in", secretFrom: RENDERLINE_SECRET_HOOK, onFailure: stop',
      '8:136 RL204',
    ],
  ].map(([what = '', config = '', ...places]) => ({
    name: `a node that notifies, ${what}`,
    text: withNodes(`{ id: tell, type: notify, parentIds: [take], config: { ${config} } }`),
    places,
  })),
  {
    name: 'a node that notifies, as the root',
    text: withNodes(
      '{ id: tell, type: notify, config: { url: "https://a.example/in", secretFrom: RENDERLINE_SECRET_A } }',
    ),
    places: ['8:11 RL405'],
  },
  ...[
    ['a bucket without a name', 'type: s3', '3:3 RL202'],
    ['a bucket with an invalid name', 'type: s3, bucket: a/b', '3:31 RL204'],
    ['a prefix that leads out of the bucket', 'type: s3, bucket: acme, prefix: ../x', '3:45 RL204'],
    ['an endpoint that is not an address', 'type: s3, bucket: acme, endpoint: minio', '3:47 RL204'],
    [
      'an endpoint with credentials',
      'type: s3, bucket: acme, endpoint: "https://me:secret@minio"',
      '3:47 RL204',
    ],
    ['a secret in the file', 'type: s3, bucket: acme, secretAccessKey: x', '3:37 RL201'],
    ['a folder of a bucket', 'type: s3, bucket: acme, path: x', '3:37 RL201'],
    ['a bucket in capitals', 'type: gcs, bucket: ACME', '3:32 RL204'],
    [
      'a container with a name that only a bucket may have',
      'type: azure, container: a.b',
      '3:37 RL204',
    ],
    ['a server without credentials', 'type: sftp, host: h, user: u, path: /x', '3:11 RL204'],
    [
      'a secret in place of the name of a variable',
      'type: sftp, host: h, user: u, path: /x, passwordFrom: hunter2',
      '3:67 RL204',
    ],
    [
      'a host key in another format',
      'type: sftp, host: h, user: u, path: /x, passwordFrom: RENDERLINE_SECRET_P, hostKey: "MD5:1"',
      '3:97 RL204',
    ],
    [
      'an invalid port',
      'type: sftp, host: h, port: 70000, user: u, path: /x, passwordFrom: RENDERLINE_SECRET_P',
      '3:40 RL204',
    ],
  ].map(([name = '', connector = '', place = '']) => ({
    name,
    text: withNodes().replace('type: local, path: models', connector),
    places: [place],
  })),
  {
    name: 'a connector type that does not exist',
    text: withNodes().replace('type: local, path: out', 'type: ftp, path: out'),
    places: ['4:16 RL204'],
  },

  {
    name: 'an unknown field of a node',
    text: withNodes('{ id: ready, type: model_ready, parentIds: [take], whn: x }'),
    places: ['8:56 RL201'],
  },
  {
    name: 'an unknown field of a config',
    text: withNodes(ready, '{ id: s, type: render, parentIds: [ready], config: { weit: true } }'),
    places: ['9:58 RL201'],
  },
  {
    name: 'a value that a setting does not accept',
    text: withNodes(
      ready,
      '{ id: s, type: render, parentIds: [ready], config: { settings: { imageQuality: 7 } } }',
    ),
    places: ['9:84 RL204'],
  },
  {
    name: 'an unknown node type',
    text: withNodes('{ id: ready, type: model_redy, parentIds: [take] }'),
    places: ['8:24 RL301'],
  },
  {
    name: 'a node without an id',
    text: withNodes('{ type: model_ready, parentIds: [take] }'),
    places: ['8:5 RL202'],
  },
  {
    name: 'an id with a dot',
    text: withNodes('{ id: a.b, type: model_ready, parentIds: [take] }'),
    places: ['8:11 RL204'],
  },
  {
    name: 'a config without its connector',
    text: 'name: x\nrecords: o\nconnectors: { o: { type: local, path: o } }\nnodes:\n  - { id: take, type: connector_poll }',
    places: ['5:5 RL202'],
  },

  {
    name: 'two nodes with the same id',
    text: withNodes(ready, '{ id: ready, type: model_ready, parentIds: [take] }'),
    places: ['9:11 RL401'],
  },
  {
    name: 'a parent that does not exist',
    text: withNodes('{ id: ready, type: model_ready, parentIds: [taek] }'),
    places: ['8:49 RL302'],
  },
  {
    name: 'a node that is its own parent',
    text: withNodes('{ id: ready, type: model_ready, parentIds: [take, ready] }'),
    places: ['8:55 RL402'],
  },
  {
    name: 'a parent that is listed twice',
    text: withNodes('{ id: ready, type: model_ready, parentIds: [take, take] }'),
    places: ['8:55 RL411'],
  },
  {
    name: 'a cycle, and a node after it',
    text: withNodes(
      '{ id: a, type: model_ready, parentIds: [b] }',
      '{ id: b, type: model_ready, parentIds: [a] }',
      '{ id: c, type: model_ready, parentIds: [b] }',
    ),
    places: ['8:44 RL403', '10:11 RL408'],
  },
  {
    name: 'a second root',
    text: withNodes('{ id: more, type: connector_poll, config: { connector: models } }'),
    places: ['8:11 RL404'],
  },
  {
    name: 'a root of a type that cannot be one',
    text: withNodes('{ id: ready, type: model_ready }'),
    places: ['8:11 RL405'],
  },
  {
    name: 'parents of a type that allows none',
    text: withNodes(
      '{ id: more, type: connector_poll, parentIds: [take], config: { connector: models } }',
    ),
    places: ['8:39 RL406'],
  },
  {
    name: 'no enabled node',
    text: withNodes().replace('id: take,', 'id: take, enabled: false,'),
    places: ['6:1 RL404'],
  },
  {
    name: 'a child of a disabled root',
    text: withNodes(ready).replace('id: take,', 'id: take, enabled: false,'),
    places: ['8:11 RL405'],
  },

  {
    name: 'an unknown connector',
    text: withNodes().replace('connector: models', 'connector: model'),
    places: ['7:60 RL303'],
  },
  {
    name: 'records in an unknown connector',
    text: withNodes().replace('records: out', 'records: ot'),
    places: ['5:10 RL303'],
  },
  {
    name: 'neither records nor an export',
    text: withNodes().replace('records: out', ''),
    places: ['6:1 RL409'],
  },
  {
    name: 'a location for reports without an export',
    text: withNodes().replace('records: out', 'records: out\nreport: reports'),
    places: ['6:1 RL416'],
  },
  {
    name: 'reports outside the location of the files',
    text: withNodes().replace('records: out', 'records: out\nreport: ../reports'),
    places: ['6:1 RL416', '6:9 RL204'],
  },
  {
    name: 'an unknown parameter in a value',
    text: withNodes().replace('path: out', 'path: "a/${{ params.out }}"'),
    places: ['4:32 RL304'],
  },
  {
    name: 'an unknown parameter in an expression',
    text: withNodes("{ id: ready, type: model_ready, parentIds: [take], when: 'params.x == 1' }"),
    places: ['8:70 RL304'],
  },
  {
    name: 'something other than a parameter',
    text: withNodes().replace('path: out', 'path: "${{ env.HOME }}"'),
    places: ['4:30 RL306'],
  },
  {
    name: 'an interpolation that never ends',
    text: withNodes().replace('path: out', 'path: "${{ params.x"'),
    places: ['4:30 RL306'],
  },
  {
    name: 'an interpolation in an id',
    text: withNodes('{ id: "${{ params.x }}", type: model_ready, parentIds: [take] }'),
    places: ['8:12 RL306'],
  },
  {
    name: 'an interpolation in a key',
    text: withNodes()
      .replace('  out:', '  "${{ params.x }}":')
      .replace('records: out', 'records: models'),
    places: ['4:3 RL306'],
  },
];

describe('the position of a mistake', () => {
  it.each(rows)('each mistake is reported at its position: $name', ({ text, places }) => {
    expect(placesOf(text)).toEqual(places);
  });
});

describe('warnings and notes', () => {
  it('an unused parameter and an unused connector are reported', () => {
    const text = `parameters: { spare: { type: string, default: x } }\n${withNodes()}`;
    const more = text.replace('  out:', '  other: { type: local, path: x }\n  out:');
    expect(placesOf(more, 'warning')).toEqual(['1:15 RL307', '5:3 RL307']);
  });

  it('an unused parameter is not reported if an expression may read any parameter', () => {
    const parameters =
      'parameters: { a: { type: string, default: x }, b: { type: string, default: x } }';
    const when = `params.a == "x" && [params].exists(p, p.b == "x")`;
    const text = withNodes(`{ id: ready, type: model_ready, parentIds: [take], when: '${when}' }`);
    expect(placesOf(`${parameters}\n${text}`, 'warning')).toEqual([]);
  });

  it('an unused value is not reported if a misspelled name may refer to it', () => {
    const text = `parameters: { spare: { type: string, default: x } }\n${withNodes()}`;
    const parameter = text.replace('path: out', 'path: "${{ params.spaer }}"');
    expect(placesOf(parameter, 'warning')).toEqual([]);
    expect(
      placesOf(withNodes().replace('connector: models', 'connector: mdels'), 'warning'),
    ).toEqual([]);
  });

  it('a setting that is close to a known one is reported, and is still passed on', () => {
    const settings = 'config: { settings: { imageFormt: PNG, ownField: 1 } }';
    const ready = '{ id: ready, type: model_ready, parentIds: [take] }';
    const text = withNodes(ready, `{ id: s, type: render, parentIds: [ready], ${settings} }`);
    expect(placesOf(text)).toEqual([]);
    expect(placesOf(text, 'warning')).toEqual(['9:70 RL201']);
  });

  it('a note reports what only a run can find out', () => {
    const { problems } = compile(
      withNodes('{ id: look, type: template_match, parentIds: [take], config: { default: Warm } }'),
    );
    expect(problems.map(({ severity, line }) => [severity, line])).toEqual([
      ['note', 3],
      ['note', 4],
      ['note', 8],
    ]);
  });
});
