// A source that is overwritten with the same size and time, and a delivered picture whose content was replaced: what
// each run notices of them, and what `--verify` costs.
import { readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inLane, type Lane } from '../system/_lane.ts';
import { names, smallModel, writeModels } from '../system/_models.ts';
import {
  createPipelineFolder,
  expectPictures,
  type PipelineFolder,
  reportOf,
  runArguments,
  runToEnd,
} from '../system/_runs.ts';
import { run, useProcesses } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();

/** Writes other content with the same size and time. */
async function overwrite(place: PipelineFolder, key: string): Promise<void> {
  const file = join(place.folder, `${key}.glb`);
  const { mtimeMs } = await stat(file);
  await writeFile(file, smallModel(key, { color: '#3cb050' }));
  await utimes(file, mtimeMs / 1_000, mtimeMs / 1_000);
}

async function verify(place: PipelineFolder, lane: Lane) {
  return reportOf(await run(runArguments(place, '--verify', '--wait', '--json'), lane.env));
}

inLane('a file that seems unchanged', temporal, (lane) => {
  test('a file that seems unchanged is compared if the disk reports a change, and always with --verify', async () => {
    const place = await createPipelineFolder('verified');
    const keys = names('verified', 4);
    await writeModels(place.folder, keys);
    const [changed = '', lost = ''] = keys;
    const first = await runToEnd(place, lane.env);

    // The first run may have read the file within the same tick of the disk's clock.
    await overwrite(place, changed);
    await expectPictures(await runToEnd(place, lane.env), [changed]);

    // A worker that resumes after its run may leave the folder like this: an older picture in place of the newer one.
    const picture = first.files.find(({ key }) => key === lost)?.path ?? '';
    const file = join(first.destination, picture);
    const whole = await readFile(file);
    await writeFile(file, Buffer.alloc(whole.length, 7));
    const before = await lane.sandbox.stats();
    const seen = await run([...planArguments(place), '--verify'], lane.env);
    expect(seen.stdout).toContain('1 asset to be delivered again');
    const report = await verify(place, lane);
    expect(report).toMatchObject({
      assets: { total: 4, complete: 1, skipped: 3, unchanged: 3 },
      verified: { assets: 4, files: 8, sources: 0, outputs: 1, unknown: 0 },
    });
    await expectPictures(report, [lost]);
    expect((await readFile(file)).equals(whole)).toBe(true);
    expect((await lane.sandbox.stats()).created).toEqual(before.created);
    expect(await verify(place, lane)).toMatchObject({ assets: { unchanged: 4 } });
  });
});

function planArguments(place: PipelineFolder): string[] {
  const [, ...rest] = runArguments(place);
  return ['plan', ...rest];
}
