// What `plan` and `doctor` report about the locations that a pipeline writes to.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Check } from '../../src/app/doctor/health-check.ts';
import { openConnector } from '../../src/connectors/index.ts';
import { bindRecordsToWorkspace } from '../../src/engine/bind-records-to-workspace.ts';
import { useSmallS3 } from '../connectors/_small-s3.ts';
import { folderWith } from './_folder.ts';
import { run } from './_run-cli.ts';

const s3 = useSmallS3();
const env = {
  TEMPORAL_ADDRESS: '127.0.0.1:1',
  HOME: '/nonexistent',
  RENDERLINE_ALLOW_HOSTS: '127.0.0.1',
};
const shoes = { id: 'w-1', name: 'Shoes' };

const onBucket = () =>
  `{ type: s3, bucket: buck, prefix: out, endpoint: "${s3.origin}", pathStyle: true }`;
const world = (pictures: string) => ({
  env,
  cwd: folderWith({
    'models/lamp.glb': 'lamp',
    'a.yaml': `name: trial
connectors:
  models: { type: local, path: ./models }
  pictures: ${pictures}
nodes:
  - { id: take, type: connector_poll, config: { connector: models, stableFor: 0s } }
  - { id: ready, type: model_ready, parentIds: [take] }
  - { id: shots, type: render, parentIds: [ready] }
  - { id: deliver, type: export, parentIds: [shots], config: { connector: pictures } }
`,
  }),
});

const keepsConditions = () => {
  s3.refuse = (_method, key, { headers }) =>
    headers['if-none-match'] === '*' && s3.objects.has(key)
      ? { status: 412, code: 'PreconditionFailed' }
      : null;
};
const checksOf = async (place: ReturnType<typeof world>) => {
  const ran = await run(['doctor', 'a.yaml', '--json'], place);
  return ran.json<{ checks: Check[] }>().checks.filter(({ name }) => name === 'records');
};

describe('plan', () => {
  test('plan reports that the location of the records is not tested yet, and writes nothing there', async () => {
    const place = world(onBucket());
    const { code, stdout } = await run(['plan', 'a.yaml'], place);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^records {3}in S3 bucket buck\/out at .*, not tested yet: the first run tests it before paid work, as does renderline doctor a\.yaml$/m,
    );
    expect(s3.requests.filter((request) => /^(PUT|DELETE|POST)/.test(request))).toEqual([]);
  });

  test('plan prints a command that tests the same file, relative to the working directory', async () => {
    const { env, cwd } = world(onBucket());
    writeFileSync(
      `${cwd}/a.yaml`,
      `parameters: { note: { type: string, default: x } }\n${readFileSync(`${cwd}/a.yaml`, 'utf8')}`,
    );
    const { stdout } = await run(['plan', `${cwd}/a.yaml`, '--param', 'note=two words'], { env });
    const [, words = ''] = /as does renderline (.*)$/m.exec(stdout) ?? [];
    expect(words).toBe(`doctor ${cwd}/a.yaml --param 'note=two words'`);
  });

  test('plan reports that the location is tested after a run has tested it', async () => {
    keepsConditions();
    const place = world(onBucket());
    await bindRecordsToWorkspace(s3.connector('out'), shoes, null);
    expect((await run(['plan', 'a.yaml'], place)).stdout).toMatch(/^records {3}in .*, tested$/m);
    const { records } = (await run(['plan', 'a.yaml', '--json'], place)).json<{
      records: unknown;
    }>();
    expect(records).toEqual({ place: expect.stringMatching(/^S3 bucket buck\/out/), proved: true });
  });
});

describe('doctor', () => {
  test('doctor tests the location of a file, and leaves no objects', async () => {
    keepsConditions();
    expect(await checksOf(world(onBucket()))).toMatchObject([{ state: 'ok' }]);
    expect(s3.objects.size).toBe(0);
  });

  test('doctor reports a location that ignores conditions as a run would, and prints the fix', async () => {
    expect(await checksOf(world(onBucket()))).toMatchObject([
      {
        state: 'fail',
        message: expect.stringMatching(/a second create of the same file was accepted$/),
        fix: expect.stringMatching(/`records:`/),
        exit: 2,
      },
    ]);
  });

  test('doctor stores the result of the test if a run has marked the location', async () => {
    keepsConditions();
    const place = world('{ type: local, path: ./pictures }');
    const pictures = openConnector({ type: 'local', path: `${place.cwd}/pictures` });
    const mark = { schema: 'renderline/workspace/v1', ...shoes, proofs: [] };
    await pictures.write('.renderline/workspace.json', Buffer.from(JSON.stringify(mark)));
    expect((await run(['plan', 'a.yaml'], place)).stdout).toContain('not tested yet');
    expect(await checksOf(place)).toMatchObject([{ state: 'ok' }]);
    expect((await run(['plan', 'a.yaml'], place)).stdout).toMatch(/^records {3}in .*, tested$/m);
    expect(readdirSync(`${place.cwd}/pictures`)).toEqual(['.renderline']);
  });

  test('doctor reports no locations without a file, and the problem of an invalid file', async () => {
    const place = { env, cwd: folderWith({ 'b.yaml': 'name: b\n' }) };
    const none = (await run(['doctor', '--json'], place)).json<{ checks: Check[] }>();
    expect(none.checks.some(({ name }) => name === 'records')).toBe(false);
    const bad = (await run(['doctor', 'b.yaml', 'none.yaml', '--json'], place)).json<{
      checks: Check[];
    }>();
    expect(bad.checks.filter(({ name }) => name === 'pipeline file')).toMatchObject([
      { state: 'fail', message: 'b.yaml is not valid: 1 problem.' },
      { state: 'fail', message: 'none.yaml does not exist.' },
    ]);
  });
});
