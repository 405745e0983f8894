// Real and broken model files: processing returns what the tables of the data folder say.
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { hasSharedData, sharedPath, sharedRows } from '../../../../test/glb/_shared-data.ts';
import { createProject, readyModel, startRender, statusOf } from '../_flows.ts';
import { TestSandbox } from '../_test-sandbox.ts';

interface Row {
  readonly file: string;
  readonly variants?: readonly string[];
  readonly expect?: { readonly verdict: 'accept' | 'accept-with-warning' | 'reject' };
}

const upload = (row: Row) => readyModel(sandbox, row.file, readFileSync(sharedPath(row.file)));
const glbs = (rows: readonly Row[]) => rows.filter(({ file }) => file.endsWith('.glb'));

const sandbox = new TestSandbox();
afterAll(() => sandbox.sandbox.close());

describe.skipIf(!hasSharedData)('real files', () => {
  const models = hasSharedData ? glbs(sharedRows<Row>('models.jsonl')) : [];
  const broken = hasSharedData ? sharedRows<Row>('invalid.jsonl') : [];

  test('enough shared models are found', () => {
    expect(models.length).toBeGreaterThan(5);
    expect(broken.length).toBeGreaterThan(5);
  });

  test.each(models)(
    'the file $file is READY and has a still for each of its variants',
    async (row) => {
      const modelId = await upload(row);
      expect(await statusOf(sandbox, modelId)).toBe('READY');
      const projectId = await createProject(sandbox, [modelId], { name: 'P' });
      const { jobId } = await startRender(sandbox, [projectId]);
      sandbox.advance(9);
      await sandbox.sandbox.idle();
      const { body } = await sandbox.call<{ renders: { name: string }[] }>(`GET /renders/${jobId}`);
      const variants = row.variants ?? [];
      const names =
        variants.length > 0 ? variants.map((name) => `P - ${name} - Main`) : ['P - Main'];
      expect(body.renders.map(({ name }) => name)).toEqual(names);
    },
  );

  test.each(broken)('the file $file gets the status of its table', async (row) => {
    const modelId = await upload(row);
    const status = row.expect?.verdict === 'reject' ? 'FAILED' : 'READY';
    expect(await statusOf(sandbox, modelId)).toBe(status);
  });
});
