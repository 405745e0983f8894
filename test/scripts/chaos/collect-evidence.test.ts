// The evidence of a round is read from its folders.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  findLeaks,
  readPipeline,
  readPlatformState,
} from '../../../scripts/chaos/collect-evidence.ts';
import { type PipelinePlan, planRound } from '../../../scripts/chaos/plan.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'renderline-gather-'));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

const write = async (path: string, text: string) => {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
};

const sha256OfA = 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb';

test('the platform state is read from all journals, and includes deleted resources', async () => {
  const line = (...changes: unknown[]) => `${JSON.stringify(changes)}\n`;
  await write('1.jsonl', line(['models', 'm1', { id: 'm1' }]) + line(['models', 'm1', null]));
  const later = line(
    ['models', 'm2', { id: 'm2' }],
    ['outputs', 'o', { id: 'o', file: 'p.png' }],
    ['productionFiles', 'f', { id: 'f' }],
  );
  await write('2.jsonl', `${later}["cut`);
  await write('data/pictures/p.png', 'a');
  await write('data/files/production-files_f_PF-1.pdf', 'a');
  const journals = [join(root, '1.jsonl'), join(root, '2.jsonl')];
  const platformState = await readPlatformState({ journals, data: join(root, 'data') });
  expect(platformState.models).toEqual([{ id: 'm1', deleted: true }, { id: 'm2' }]);
  expect([...platformState.contents]).toEqual([
    ['o', sha256OfA],
    ['f', sha256OfA],
  ]);
});

test('files, records, claims and temporary files are collected, except those of a killed discovery attempt', async () => {
  const [first] = planRound(1, { only: [] }).pipelines;
  const plan: PipelinePlan = {
    ...(first as PipelinePlan),
    name: 'p',
    folder: 'm1',
    models: 1,
    template: 'Hero Dark',
  };
  await write('out/p/shoe.png', 'a');
  await write('out/p/.rl-0-1-2.tmp', '');
  await write('out/p/.renderline/p/records/k.json', '{"key":"k"}');
  await write('out/p/.renderline/p/claims/.rl-0-1-3.tmp', '');
  await write('out/p/.renderline/p/runs/r/manifest/66898a689ae9/.rl-0-1-4.tmp', '');
  await write('out/p/.renderline/p/claims/k.json', '{"key":"k","state":"failed"}');
  const sources = new Map([['m1-shoe-01', ['x']]]);
  const platformState = await readPlatformState({ journals: [], data: await emptyData() });
  const found = await readPipeline(plan, { root, pipelines: [plan, plan], sources, platformState });
  expect(found).toMatchObject({
    sharingPipelines: 2,
    templateId: 'tpl-hero-dark',
    temporary: ['.rl-0-1-2.tmp', '.renderline/p/claims/.rl-0-1-3.tmp'],
    records: [{ key: 'k' }],
    claims: [{ key: 'k', state: 'failed' }],
  });
  expect([...found.delivered]).toEqual([['shoe.png', sha256OfA]]);
  expect([...found.sources]).toEqual([...sources]);
});

async function emptyData(): Promise<string> {
  await mkdir(join(root, 'data/files'), { recursive: true });
  return join(root, 'data');
}

test.each([
  ['the key', 'before svc_secret after', true],
  ['the key in base64', Buffer.from('svc_secret').toString('base64'), true],
  ['the signature of a link', 'http://h/storage/x?expires=1&signature=abcdefghijklmnopqr', true],
  ['no secret', 'svc_other signature=', false],
])('findLeaks() checks a file that contains %s', async (_what, text, isLeak) => {
  await write('worker-1.log', text);
  // The platform's own files may contain its secrets.
  await write('platform/state.jsonl', 'svc_secret');
  expect(await findLeaks(root, 'svc_secret')).toEqual(isLeak ? ['worker-1.log'] : []);
});
