// Delivers from a scripted platform to a folder. The clock is stopped: waits are recorded, but nothing waits.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeAll, beforeEach } from 'vitest';
import type { Connector } from '../../src/connectors/connector.ts';
import { openConnector } from '../../src/connectors/index.ts';
import type { NodeContext } from '../../src/engine/node-context.ts';
import { deliver } from '../../src/features/delivery/deliver.ts';
import type { ImageOptions } from '../../src/features/delivery/images/image-fields.ts';
import type { MetadataOptions } from '../../src/features/delivery/metadata/metadata-fields.ts';
import type { ModelFormat } from '../../src/features/delivery/models/model-output.ts';
import type { Deliverable } from '../../src/features/delivery/outputs/outputs.ts';
import type { OutputRef } from '../../src/features/renders/platform-ids.ts';
import { openRunStore } from '../../src/features/run-store.ts';
import type { AssetResult, StepAsset } from '../../src/plan/types.ts';
import { MemoryConnector } from '../connectors/_memory-connector.ts';
import { asset } from '../plan/_steps.ts';
import { contextOn, runContext } from './_context.ts';
import { ScriptedPlatform } from './_platform.ts';

export interface DeliveryInTest {
  platform: ScriptedPlatform;
  /** Destination of the pictures. */
  folder: string;
  /** A valid PNG of 32 x 18 pixels. */
  picture: Buffer;
  /** The waits between attempts so far. */
  waits: number[];
  connector: Connector;
  records: MemoryConnector;
  /** Adds an output that the platform serves as a valid picture. */
  output: (id: string, name: string, more?: Partial<OutputRef>) => OutputRef;
  rendered: (key: string, ...outputs: OutputRef[]) => StepAsset;
  /** Adds a render job with these outputs to the platform. */
  job: (key: string, ...outputs: OutputRef[]) => void;
  run: (
    naming: string,
    assets: StepAsset[],
    more?: Partial<NodeContext> & {
      what?: readonly Deliverable[];
      formats?: readonly ModelFormat[];
      accept?: { change: string };
      images?: readonly ImageOptions[];
      original?: boolean;
      metadata?: MetadataOptions;
      supersede?: 'keep';
    },
  ) => Promise<AssetResult[]>;
  /** All files below the folder, including hidden ones, and empty folders. */
  files: () => Promise<string[]>;
}

/** A new fixture for each test of a file. */
export function useDelivery(): DeliveryInTest {
  const deliveryInTest = {} as DeliveryInTest;
  beforeAll(async () => {
    const pixels = Buffer.from(Array.from({ length: 32 * 18 * 3 }, (_, index) => index % 256));
    deliveryInTest.picture = await sharp(pixels, { raw: { width: 32, height: 18, channels: 3 } })
      .png()
      .toBuffer();
  });
  beforeEach(async () => {
    const platform = await ScriptedPlatform.start();
    const folder = await mkdtemp(join(tmpdir(), 'renderline-deliver-'));
    const connector = openConnector({ type: 'local', path: folder });
    Object.assign(deliveryInTest, {
      platform,
      folder,
      connector,
      waits: [],
      records: new MemoryConnector(),
    });
  });
  afterEach(async () => {
    await deliveryInTest.platform.stop();
    await rm(deliveryInTest.folder, { recursive: true, force: true });
  });
  deliveryInTest.output = (id, name, more = {}) => {
    deliveryInTest.platform.pictures.set(`${id}.png`, deliveryInTest.picture);
    const url = deliveryInTest.platform.urlOf(`${id}.png`);
    return { id, name, fileType: 'PNG', isVideo: false, isPreview: false, url, ...more };
  };
  deliveryInTest.rendered = (key, ...outputs) => asset(key, { jobId: `job-${key}`, outputs });
  deliveryInTest.job = (key, ...outputs) => {
    const renders = outputs.map(({ url: filePath, ...one }) => ({ ...one, filePath }));
    const jobId = `job-${key}`;
    deliveryInTest.platform.jobs.set(jobId, {
      jobId,
      status: 'COMPLETED',
      projectId: 'p',
      renders,
    });
  };
  deliveryInTest.run = (
    naming,
    assets,
    { what, formats, accept, images, original, metadata, supersede, ...more } = {},
  ) => {
    const { platform, connector, records, waits } = deliveryInTest;
    const config = { connector: 'out', what: what ?? (['renders'] as const), formats, naming };
    const context = contextOn(platform, {
      getConnector: () => connector,
      store: openRunStore(records, runContext()),
      attempt: { number: 1, firstAtMs: 0, retryUntilAtMs: 1e9 },
      ...more,
    });
    const pause = async (delayMs: number, signal: AbortSignal | undefined) => {
      signal?.throwIfAborted();
      waits.push(delayMs);
    };
    const options = { ...config, accept, images, original, metadata, supersede };
    return deliver({ ...options, verify: { notBlank: true } }, assets, context, pause);
  };
  deliveryInTest.files = async () => {
    const entries = await readdir(deliveryInTest.folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => !entry.isDirectory());
    return files
      .map(({ parentPath, name }) => join(parentPath, name).slice(deliveryInTest.folder.length + 1))
      .sort();
  };
  return deliveryInTest;
}

export const codes = (results: readonly AssetResult[]) =>
  results.map((result) => (result.outcome === 'failed' ? result.code : result.outcome));

/** Paths of the delivered files. */
export const paths = (results: readonly AssetResult[]) =>
  results.flatMap((result) =>
    (result.outcome === 'done' ? (result.files ?? []) : []).map(({ path }) => path),
  );
