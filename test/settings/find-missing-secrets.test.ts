// Tests that missing secrets of notice receivers are reported before a run needs them.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkPlanSecrets } from '../../src/app/doctor/secrets.ts';
import { receiverSecretsOf } from '../../src/plan/contract/receiver-secrets.ts';
import type { Step } from '../../src/plan/types.ts';
import { findMissingSecrets } from '../../src/settings/secrets/find-missing-secrets.ts';
import { readSecret } from '../../src/settings/secrets/secret-names.ts';
import { folderWith } from '../cli/_folder.ts';
import { run } from '../cli/_run-cli.ts';

const signed = { url: 'https://hooks.example.com/in', secretFrom: 'RENDERLINE_SECRET_HOOK' };
const slack = { format: 'slack', urlFrom: 'RENDERLINE_SECRET_SLACK' } as const;
const on = ['failed'];
const step = (node: string, activity: string, config: object) =>
  ({ id: node, node, activity, config }) as unknown as Step;

describe('the secrets of receivers', () => {
  test.each([
    ['without receivers', undefined, [], []],
    [
      'of a receiver in the file',
      [{ ...signed, on }],
      [],
      ['notify secretFrom RENDERLINE_SECRET_HOOK'],
    ],
    ['of a channel', [{ ...slack, on }], [], ['notify urlFrom RENDERLINE_SECRET_SLACK']],
    ['of a node', [], [step('tell', 'notify', slack)], ['tell urlFrom RENDERLINE_SECRET_SLACK']],
    [
      'of other nodes, which are not listed',
      [],
      [step('shots', 'render', { secretFrom: 'X' })],
      [],
    ],
    [
      'that are mentioned twice, but listed once',
      [
        { ...signed, on },
        { ...signed, on },
      ],
      [],
      ['notify secretFrom RENDERLINE_SECRET_HOOK'],
    ],
  ])('the secrets of receivers are found: %s', (_, notify, steps, names) => {
    const found = receiverSecretsOf({ steps, ...(notify ? { notify } : {}) });
    expect(found.map(({ node, field, name }) => `${node} ${field} ${name}`)).toEqual(names);
  });

  test.each([
    ['is set', { RENDERLINE_SECRET_HOOK: 'canary' }, 'RENDERLINE_SECRET_HOOK', null],
    ['is not set', {}, 'RENDERLINE_SECRET_HOOK', /^a worker has no RENDERLINE_SECRET_HOOK/],
    ['is empty', { RENDERLINE_SECRET_HOOK: '' }, 'RENDERLINE_SECRET_HOOK', /^a worker has no/],
    ['is not allowed', { SHOP: 'canary' }, 'SHOP', /^SHOP .* does not begin with/],
    [
      'belongs to the worker',
      { RENDERLINE_API_KEY: 'canary' },
      'RENDERLINE_API_KEY',
      /belongs to the worker/,
    ],
  ])('a secret that %s is reported unless it can be used', (_, env, name, message) => {
    const named = [{ node: 'tell', field: 'secretFrom' as const, name }];
    const warnings = findMissingSecrets(
      named,
      (one, field) => readSecret(one, field, env),
      'a worker',
    );
    expect(warnings).toEqual(
      message === null ? [] : [{ key: 'tell', message: expect.stringMatching(message) }],
    );
    expect(JSON.stringify(warnings)).not.toContain('canary');
  });
});

test('doctor warns once about each missing secret of pipelines with a schedule', () => {
  const plan = { pipeline: 'nightly', notify: [{ ...slack, on }], steps: [] };
  const lines = checkPlanSecrets([plan, plan], {});
  expect(lines).toMatchObject([
    { name: 'secrets', state: 'warn', message: expect.stringMatching(/^nightly, notify: this/) },
  ]);
  expect(checkPlanSecrets([plan], { RENDERLINE_SECRET_SLACK: 'x' })).toEqual([]);
});

const file = `name: trial
connectors: { in: { type: local, path: in } }
records: in
notify: [{ format: slack, urlFrom: RENDERLINE_SECRET_SLACK, on: [failed] }]
nodes:
  - { id: take, type: connector_poll, config: { connector: in } }
  - { id: ready, type: model_ready, parentIds: [take] }
`;
const schedule = "schedule: [{ name: nightly, cron: '0 3 * * *' }]\n";

describe.each([
  ['plan', ['plan', 'a.yaml'], file],
  ['apply', ['apply', 'a.yaml', '--dry-run'], `${schedule}${file}`],
])('the command %s', (_, words, text) => {
  test.each([
    ['reports a missing secret', {}, true],
    [
      'does not report an existing secret',
      { RENDERLINE_SECRET_SLACK: 'https://hooks.slack.com/c4n4ry' },
      false,
    ],
  ])('the command %s', async (_case, more, isTold) => {
    const cwd = folderWith({ 'a.yaml': text });
    mkdirSync(join(cwd, 'in'));
    const env = { ...more, TEMPORAL_ADDRESS: '127.0.0.1:1', RENDERLINE_TASK_QUEUE: 'trial' };
    const { stdout, stderr } = await run(words, { cwd, env });
    const note = 'notify: this machine has no RENDERLINE_SECRET_SLACK (`urlFrom`)';
    expect(stderr.includes(note)).toBe(isTold);
    expect(stdout + stderr).not.toContain('c4n4ry');
  });
});
