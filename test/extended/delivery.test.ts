// Deliveries from a faulty storage: bad downloads are repeated, one bad file fails one asset, and no temporary file
// remains.
import { expect, test } from 'vitest';
import { runInProcess, startWorkerInProcess } from '../system/_in-process.ts';
import { inLane } from '../system/_lane.ts';
import { names, writeModels } from '../system/_models.ts';
import {
  createPipelineFolder,
  expectPictures,
  type PipelineFolder,
  reportOf,
  startRun,
} from '../system/_runs.ts';
import { type Env, startWorkerProcess, useProcesses, waitUntil } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';
import {
  behindProxy,
  type DownloadFault,
  type FileProxy,
  resetConnection,
  respondWithErrorPage,
  temporaryFiles,
  truncateAt,
} from './_file-proxy.ts';

const temporal = useTemporal();
useProcesses();

async function placeWith(prefix: string, count: number) {
  const place = await createPipelineFolder(prefix);
  const keys = names(prefix, count);
  await writeModels(place.folder, keys);
  return { place, keys };
}

inLane('a faulty storage', temporal, (lane) => {
  test.each<[string, DownloadFault[]]>([
    ['breaks each connection', [resetConnection]],
    [
      'sends pages and parts',
      [respondWithErrorPage, truncateAt(0.7, (response) => response.destroy())],
    ],
  ])(
    'all files are delivered without a pause from storage that %s the first time',
    async (name, fates) => {
      const { proxy, env } = await behindProxy(lane, temporal.env);
      const fateOf = () => fates.at(proxy.downloadCounts.size % fates.length) ?? null;
      proxy.chooseFault = (_path, times) => (times === 1 ? fateOf() : null);
      const worker = await startWorkerInProcess(env);
      const { place, keys } = await placeWith(name.slice(0, 5), 8);
      await expectPictures(reportOf(await startRun(place, env).finished), keys);
      expect([...proxy.downloadCounts.values()]).toEqual(keys.map(() => 2));
      expect(await temporaryFiles(place.root)).toEqual([]);
      await worker.stop();
    },
  );

  test('a bad file in storage fails only its own asset, and the others are delivered', async () => {
    const { proxy, env } = await behindProxy(lane, temporal.env);
    const worker = await startWorkerInProcess(env);
    const { place, keys } = await placeWith('one', 6);
    let bad = '';
    proxy.chooseFault = (path) => ((bad ||= path) === path ? respondWithErrorPage : null);
    const report = reportOf(await startRun(place, env).finished, 3);
    expect(report.failures).toMatchObject([{ code: 'OUTPUT_UNREADABLE', attempts: 2 }]);
    const [failed] = report.failures;
    await expectPictures(
      report,
      keys.filter((key) => key !== failed?.key),
    );
    expect(await temporaryFiles(place.root)).toEqual([]);
    await worker.stop();
  });
});

inLane('temporary files', temporal, (lane) => {
  /** Starts a run whose downloads stop in the middle, until `chooseFault` is set again. */
  async function heldInDelivery(place: PipelineFolder, env: Env, proxy: FileProxy) {
    proxy.chooseFault = () => truncateAt(0.5, () => undefined);
    const worker = await startWorkerProcess(env);
    const running = startRun(place, env);
    await waitUntil('pictures are on their way', async () => {
      const files = await temporaryFiles(place.out);
      return files.length > 0 && proxy.downloadCounts.size >= 4;
    });
    return { worker, running };
  }

  test("the next worker deletes a killed worker's temporary files, and the run completes", async () => {
    const { proxy, env } = await behindProxy(lane, temporal.env);
    const { place, keys } = await placeWith('killed', 6);
    const { worker, running } = await heldInDelivery(place, env, proxy);
    await worker.stop('SIGKILL');
    const left = await temporaryFiles(place.out);
    expect(left.length).toBeGreaterThan(0);
    proxy.chooseFault = () => null;
    const second = await startWorkerProcess(env);
    await expectPictures(reportOf(await running.finished), keys);
    expect(await temporaryFiles(place.root)).toEqual([]);
    await second.stop();
  });

  test("a cancelled run's temporary files are deleted immediately", async () => {
    const { proxy, env } = await behindProxy(lane, temporal.env);
    const { place } = await placeWith('dropped', 6);
    const { worker, running } = await heldInDelivery(place, env, proxy);
    const id = /^Run (\S+)/m.exec(running.output())?.[1] ?? '';
    await runInProcess(['cancel', id], env);
    await running.finished;
    expect(await temporaryFiles(place.root)).toEqual([]);
    await worker.stop();
  });
});
