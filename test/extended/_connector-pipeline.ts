// The requirements for a pipeline on a store, from the CLI to the delivered pictures. Each store's test calls this.
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, onTestFinished, test } from 'vitest';
import type { Connector } from '../../src/connectors/connector.ts';
import { openConnector } from '../../src/connectors/index.ts';
import type { ConnectorSpec } from '../../src/plan/types.ts';
import { allHistories } from '../system/_histories.ts';
import { runInProcess } from '../system/_in-process.ts';
import { inLane, type Lane } from '../system/_lane.ts';
import { names, smallModel } from '../system/_models.ts';
import { errorOf, pictureSize, type RunReport, reportOf } from '../system/_runs.ts';
import { type Env, type RunningProcess, start, tempFolder } from '../system/_stack.ts';

export interface StoreInTest {
  /** The connector's `type`. */
  type: string;
  /** Environment variables with credentials. */
  env: () => Env;
  /** Parts of the credentials that must not appear anywhere. */
  secrets: readonly string[];
  /** Creates an empty location and returns a function that builds the spec of a folder in it. */
  createLocation: () => Promise<(folder: string) => ConnectorSpec>;
}

export interface FaultyStore extends StoreInTest {
  /** A spec whose bucket or folder does not exist, with the expected failure code. */
  missing: () => { spec: ConnectorSpec; code: string };
  /** Sets whether the store accepts the credentials from now on. */
  acceptCredentials: (accepted: boolean) => Promise<void>;
}

interface StorePipeline {
  file: string;
  models: Connector;
  pictures: Connector;
  /** Spec of `pictures`. */
  out: ConnectorSpec;
}

/**
 * Runs a pipeline from models to pictures on one kind of store. The connector's own suite covers everything else;
 * `more` adds tests.
 */
export function testDeliveryOn(
  store: StoreInTest,
  temporal: { readonly env: Env },
  more: (lane: Lane) => void = () => undefined,
): void {
  const joined = {
    get env() {
      return { ...temporal.env, ...store.env() };
    },
  };
  inLane(`a pipeline on ${store.type}`, joined, (lane) => {
    test('a pipeline takes models and delivers pictures; a second run does nothing, and a third handles only what has changed', async () => {
      const place = await createStorePipeline(store);
      const keys = names('shoe', 4);
      await putModels(place, keys);
      const first = await runToEnd(place, lane);
      expect(first.assets).toMatchObject({ total: 4, complete: 4, failed: 0, skipped: 0 });
      await expectDelivered(first, place, keys);

      const again = await runToEnd(place, lane);
      expect(again.assets).toMatchObject({ total: 4, complete: 0, failed: 0, skipped: 4 });
      expect(again.requests.total).toBe(0);

      await place.models.write('shoe-02.glb', smallModel('other', { paddingBytes: 64 }));
      await putModels(place, ['shoe-09']);
      const third = await runToEnd(place, lane);
      expect(third.assets).toMatchObject({ total: 5, complete: 2, failed: 0, skipped: 3 });
      await expectDelivered(third, place, ['shoe-02', 'shoe-09']);
    });

    more(lane);

    test("neither the output nor a history contains the store's secrets", async () => {
      const output = [lane.worker.output(), JSON.stringify(await allHistories(lane.env))].join(
        '\n',
      );
      expect(output.length).toBeGreaterThan(1_000);
      for (const secret of store.secrets) {
        expect(output).not.toContain(secret);
        expect(output).not.toContain(Buffer.from(secret).toString('base64'));
      }
    });
  });
}

/** Like `testDeliveryOn`, with failures of the store, which pipelines handle alike for all kinds. */
export function testFailuresOn(
  store: FaultyStore,
  temporal: { readonly env: Env },
  more: (lane: Lane) => void,
): void {
  testDeliveryOn(store, temporal, (lane) => {
    test('a run reports a broken file with the cause and does not upload the file', async () => {
      const place = await createStorePipeline(store);
      await putModels(place, ['whole']);
      await place.models.write('cut.glb', smallModel('cut').subarray(0, 300));
      const report = await runToEnd(place, lane, 3);
      expect(report.failures).toMatchObject([{ key: 'cut', code: 'TRUNCATED' }]);
      await expectDelivered(report, place, ['whole']);
    });

    test('a file that is replaced before its upload fails, and the next run processes the new version', async () => {
      const place = await createStorePipeline(store);
      await putModels(place, names('boot', 3));
      const report = await whileUploadsWait(place, lane, 3, async () => {
        await place.models.write('boot-02.glb', smallModel('new', { paddingBytes: 4_000 }));
      });
      expect(report.failures).toMatchObject([{ key: 'boot-02', code: 'SOURCE_CHANGED' }]);
      await expectDelivered(report, place, ['boot-01', 'boot-03']);
      await expectDelivered(await runToEnd(place, lane), place, ['boot-02']);
    });

    test('a run reports a file that was deleted before its upload', async () => {
      const place = await createStorePipeline(store);
      await putModels(place, names('sock', 3));
      const report = await whileUploadsWait(place, lane, 3, () =>
        place.models.remove('sock-02.glb'),
      );
      expect(report.failures).toMatchObject([{ key: 'sock-02', code: 'FILE_GONE' }]);
      await expectDelivered(report, place, ['sock-01', 'sock-03']);
    });

    test('a run reports a missing location immediately and starts nothing', async () => {
      const place = await createStorePipeline(store);
      const { spec, code } = store.missing();
      await writePipeline(place.file, spec, place.out);
      const error = errorOf(await runInProcess(runArguments(place), lane.env), 5);
      expect(error).toMatchObject({ code, fix: expect.stringMatching(/./) });
      expect(error.run).toBeUndefined();
    });

    test('a run pauses if its credentials are refused, and continues without duplicates', async () => {
      const place = await createStorePipeline(store);
      const keys = names('belt', 3);
      await putModels(place, keys);
      onTestFinished(() => store.acceptCredentials(true));
      const before = await lane.sandbox.stats();
      const paused = await whileHeld(place, lane, async (running) => {
        await store.acceptCredentials(false);
        return running.finished;
      });
      const { code, run: id = '', fix } = errorOf(paused, 4);
      expect(code).toMatch(/^(CREDENTIALS_REFUSED|ACCESS_DENIED)$/);
      expect(fix).not.toBe('');
      const atTheStart = await runInProcess(runArguments(place), lane.env);
      expect(errorOf(atTheStart, 4).code).toMatch(/^(CREDENTIALS_REFUSED|ACCESS_DENIED)$/);

      await store.acceptCredentials(true);
      await expectDelivered(await lane.resumeAndWait(id), place, keys);
      const after = await lane.sandbox.stats();
      expect(after.created.models - before.created.models).toBe(3);
    });

    more(lane);
  });
}

async function createStorePipeline(store: StoreInTest): Promise<StorePipeline> {
  const file = join(await tempFolder('store'), 'pictures.yaml');
  const specOf = await store.createLocation();
  const [models, pictures] = [specOf('models'), specOf('out/pictures')];
  await writePipeline(file, models, pictures);
  return { file, models: openConnector(models), pictures: openConnector(pictures), out: pictures };
}

async function writePipeline(file: string, models: ConnectorSpec, pictures: ConnectorSpec) {
  const settings = {
    renderShots: false,
    renderVariants: false,
    imageCustomResolution: true,
    imageCustomWidth: pictureSize.width,
    imageCustomHeight: pictureSize.height,
  };
  await writeFile(
    file,
    `name: pictures
connectors:
  models: ${JSON.stringify(models)}
  pictures: ${JSON.stringify(pictures)}
nodes:
  - { id: take, type: connector_poll, config: { connector: models, stableFor: 500ms } }
  - { id: ready, type: model_ready, parentIds: [take] }
  - { id: look, type: template_match, parentIds: [ready], config: { default: Studio White } }
  - { id: shots, type: render, parentIds: [look], config: { settings: ${JSON.stringify(settings)} } }
  - id: deliver
    type: export
    parentIds: [shots]
    config: { connector: pictures, naming: "{{ key }}.{{ ext }}" }
`,
  );
}

async function putModels({ models }: StorePipeline, keys: readonly string[]): Promise<void> {
  for (const key of keys) await models.write(`${key}.glb`, smallModel(key));
}

const runArguments = ({ file }: StorePipeline) => ['run', file, '--wait', '--json'];

async function runToEnd(place: StorePipeline, lane: Lane, code = 0): Promise<RunReport> {
  return reportOf(await runInProcess(runArguments(place), lane.env), code);
}

/** Runs `work` when a run has listed its files and has not uploaded any. */
async function whileUploadsWait(
  place: StorePipeline,
  lane: Lane,
  code: number,
  work: () => Promise<unknown>,
): Promise<RunReport> {
  const finished = await whileHeld(place, lane, async (running) => {
    await work();
    return running.finished;
  });
  return reportOf(finished, code);
}

async function whileHeld<T>(
  place: StorePipeline,
  lane: Lane,
  work: (running: RunningProcess) => Promise<T>,
): Promise<T> {
  const hold = [{ match: 'createJob', nth: 1, do: { delayMs: 2_500, before: true } }];
  return lane.withFaults(hold, async () => {
    const before = await lane.requestsOf('createJob');
    const running = start(runArguments(place), lane.env);
    const asked = async () => (await lane.requestsOf('createJob')) > before;
    await expect.poll(asked, { timeout: 60_000, interval: 100 }).toBe(true);
    return work(running);
  });
}

async function expectDelivered(
  report: RunReport,
  { pictures }: StorePipeline,
  keys: readonly string[],
) {
  expect(report.files.map(({ key }) => key).sort()).toEqual([...keys].sort());
  for (const { path, bytes, sha256 } of report.files) {
    const picture = await pictures.read(path);
    expect(createHash('sha256').update(picture).digest('hex')).toBe(sha256);
    expect(picture.length).toBe(bytes);
    expect(await sharp(picture).metadata()).toMatchObject(pictureSize);
  }
}
