// Brings finished pictures to a connector: written aside, checked, then renamed.
import { createWriteStream } from 'node:fs';
import { downloadTo } from '../api/download.ts';
import { NotFoundError } from '../api/errors.ts';
import { TransferError } from '../api/transfer-errors.ts';
import { renderName } from '../compile/naming.ts';
import { toConnectorError } from '../connectors/connector-error.ts';
import type { NodeContext } from '../nodes/node-context.ts';
import type { AssetResult, DeliveredFile, OutputRef, StepAsset } from '../plan/types.ts';
import { inspectPicture, PictureError, type PictureRules } from './inspect-picture.ts';

export interface DeliverConfig {
  connector: string;
  naming: string;
  verify: PictureRules;
}

/** Largest single output that is taken; a 4K 16-bit TIFF has about 66 MB, a video some hundred. */
const outputBytesAtMost = 4 * 1024 ** 3;

export async function deliver(
  config: DeliverConfig,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  return context.transfers.each(assets, async (asset): Promise<AssetResult> => {
    const { key } = asset;
    try {
      return await deliverAsset(asset, config, context);
    } catch (error) {
      const failure = failureOf(error);
      if (!failure) throw error;
      return { key, outcome: 'failed', ...failure };
    }
  });
}

/** What the wait has carried along, else what the job itself says. */
async function deliverAsset(
  asset: StepAsset,
  config: DeliverConfig,
  context: NodeContext,
): Promise<AssetResult> {
  const { outputs } = asset.refs;
  if (!outputs?.every(({ url }) => url !== undefined)) {
    return deliverAll(asset, await outputsOfJob(asset, context), config, context);
  }
  try {
    return await deliverAll(asset, outputs, config, context);
  } catch (error) {
    if (!(error instanceof TransferError)) throw error;
    // The address is as old as the look that found it; the job knows the present one.
    return deliverAll(asset, await outputsOfJob(asset, context), config, context);
  }
}

async function deliverAll(
  asset: StepAsset,
  outputs: readonly OutputRef[],
  config: DeliverConfig,
  context: NodeContext,
): Promise<AssetResult> {
  const { key, refs } = asset;
  if (outputs.length === 0) {
    const message = `render job ${refs.jobId ?? ''} completed without any output`;
    return { key, outcome: 'failed', code: 'NO_OUTPUT', message };
  }
  const files: DeliveredFile[] = [];
  const taken = new Set<string>();
  for (const [index, output] of [...outputs].sort(byName).entries()) {
    files.push(await deliverOne(asset, output, index, taken, config, context));
  }
  return { key, outcome: 'done', files };
}

/** The list gives outputs newest first, the job in an order of its own; file names must not depend on it. */
function byName(a: OutputRef, b: OutputRef): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

async function outputsOfJob(asset: StepAsset, context: NodeContext): Promise<OutputRef[]> {
  const options = { priority: 'create' as const, scope: context.requests, signal: context.signal };
  const params = { jobId: asset.refs.jobId ?? '' };
  const job = await context.client.getRenderJob({ params }, options);
  return (job.renders ?? []).map(({ id, name, filePath, fileType, isVideo }) => ({
    id,
    name,
    fileType,
    isVideo,
    isPreview: asset.refs.outputs?.find((known) => known.id === id)?.isPreview ?? false,
    url: filePath,
  }));
}

/** Troubles of one asset's outputs; all others are not about this asset. */
function failureOf(error: unknown): { code: string; message: string } | null {
  if (error instanceof PictureError) return { code: error.code, message: error.message };
  if (error instanceof NotFoundError) return { code: error.code, message: error.detail };
  if (error instanceof TransferError) return { code: 'OUTPUT_REFUSED', message: error.message };
  return null;
}

async function deliverOne(
  asset: StepAsset,
  output: OutputRef,
  index: number,
  taken: Set<string>,
  config: DeliverConfig,
  context: NodeContext,
): Promise<DeliveredFile> {
  context.heartbeat();
  const connector = context.connectorNamed(config.connector);
  const path = freePath(nameOf(asset, output, index, config, context), taken);
  const staged = await connector.stage(path);
  try {
    const { bytes, sha256 } = await downloadTo({
      url: output.url ?? '',
      sink: createWriteStream(staged.file),
      network: context.client.network,
      signal: context.signal,
      maxBytes: outputBytesAtMost,
      onProgress: () => context.heartbeat(),
    });
    const { width, height } = await inspectPicture(staged.file, output, config.verify);
    await staged.commit({ signal: context.signal, onProgress: () => context.heartbeat() });
    return { key: asset.key, path, bytes, sha256, width, height };
  } catch (error) {
    await staged.discard();
    throw toConnectorError(error, 'write', path, connector.describe());
  }
}

function nameOf(
  asset: StepAsset,
  output: OutputRef,
  index: number,
  config: DeliverConfig,
  context: NodeContext,
): string {
  const name = renderName(config.naming, {
    key: asset.key,
    name: asset.key.split('/').at(-1) ?? asset.key,
    output: output.name,
    index: String(index + 1),
    ext: extensionOf(output.fileType),
    model: asset.refs.modelId ?? '',
    project: asset.refs.projectId ?? '',
    template: asset.refs.templateId ?? '',
    run: context.run.run,
    variant: asset.refs.variantName ?? '',
    bookmark: asset.refs.bookmark ?? '',
    shot: asset.refs.shot ?? '',
  });
  return output.isPreview ? beforeExtension(name, '.preview') : name;
}

/** Two outputs of an asset that would take one name are told apart by a number. */
function freePath(path: string, taken: Set<string>): string {
  let free = path;
  for (let count = 2; taken.has(free.toLowerCase()); count += 1)
    free = beforeExtension(path, `-${count}`);
  taken.add(free.toLowerCase());
  return free;
}

function beforeExtension(path: string, text: string): string {
  const dot = path.lastIndexOf('.');
  return dot <= path.lastIndexOf('/') ? path + text : path.slice(0, dot) + text + path.slice(dot);
}

function extensionOf(fileType: string): string {
  const type = fileType.toLowerCase();
  return { jpeg: 'jpg', tiff: 'tif', prores: 'mov' }[type] ?? type;
}
