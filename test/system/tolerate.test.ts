// `tolerate:` on a real server: too many failures stop a run or pause it, and no started work is wasted.
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runInProcess } from './_in-process.ts';
import { names, smallModel, writeModels } from './_models.ts';
import {
  createPipelineFolder,
  type PipelineFolder,
  reportOf,
  startRun,
  useProduct,
} from './_runs.ts';
import { useProcesses } from './_stack.ts';
import { useTemporal } from './_temporal.ts';

const temporal = useTemporal();
useProcesses();
const product = useProduct(temporal);

/** Two files that are whole and one that is refused before it is uploaded. */
async function placeTolerating(name: string, fields: string): Promise<PipelineFolder> {
  const place = await createPipelineFolder(name);
  await appendFile(place.file, `tolerate: { ${fields} }\n`);
  await writeModels(place.folder, names(name, 2));
  await writeFile(join(place.folder, 'broken.glb'), smallModel('broken').subarray(0, 200));
  return place;
}

const slowly = (durationMs: number) =>
  product.sandbox.set('faults', [{ model: '**', do: { durationMs } }]);

describe('too many failures', () => {
  test('too many failures stop the run before waiting assets are rendered, and the next run takes these assets', async () => {
    const place = await placeTolerating('stop', 'failures: 0');
    await slowly(2_500);
    const before = await product.sandbox.stats();
    const stopped = reportOf(await startRun(place, product.env).finished, 1);
    await product.sandbox.set('faults', []);
    expect(stopped).toMatchObject({
      outcome: 'failed',
      cause: {
        code: 'TOO_MANY_FAILURES',
        message: '1 of 3 assets failed; `tolerate.failures` allows 0',
      },
      assets: { total: 3, complete: 0, failed: 1, skipped: 2 },
      failures: [{ key: 'broken', code: 'TRUNCATED' }],
    });
    const after = await product.sandbox.stats();
    expect(after.created.projects - before.created.projects).toBe(0);
    await writeFile(join(place.folder, 'broken.glb'), smallModel('broken'));
    const next = reportOf(await startRun(place, product.env).finished);
    expect(next.assets).toMatchObject({ complete: 3, failed: 0 });
    expect((await product.sandbox.stats()).created.models - before.created.models).toBe(3);
  });

  test('too many failures pause the run, which ends after a person resumes it', async () => {
    const place = await placeTolerating('pause', 'failures: "10%", onBreach: pause');
    await slowly(1_500);
    const paused = await startRun(place, product.env).finished;
    await product.sandbox.set('faults', []);
    expect(paused.code).toBe(75);
    const told = JSON.parse(paused.stdout) as { code: string; run: string };
    expect(told.code).toBe('TOO_MANY_FAILURES');
    expect((await runInProcess(['resume', told.run], product.env)).code).toBe(0);
    const shown = await runInProcess(['show', told.run, '--wait', '--json'], product.env);
    expect(reportOf(shown, 3)).toMatchObject({
      outcome: 'partial_failure',
      cause: null,
      assets: { complete: 2, failed: 1 },
    });
  });
});
