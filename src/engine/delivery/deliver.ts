// Brings finished pictures and production files to a connector: written aside, checked, then renamed.
import { NotFoundError, ResponseShapeError } from '../../api/errors.ts';
import { TransferError } from '../../api/transfer-errors.ts';
import { renderName } from '../../compile/naming.ts';
import type { NodeContext } from '../../nodes/node-context.ts';
import type { AssetResult, DeliveredFile, OutputRef, StepAsset } from '../../plan/types.ts';
import { fetchFile } from './fetch-file.ts';
import { inspectPdf } from './inspect-pdf.ts';
import { inspectPicture, type PictureRules } from './inspect-picture.ts';
import { OutputError } from './output-error.ts';
import { type Deliverable, NoOutputError, outputsOf } from './outputs.ts';

export interface DeliverConfig {
  connector: string;
  what: readonly Deliverable[];
  naming: string;
  verify: PictureRules;
}

export async function deliver(
  config: DeliverConfig,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  return context.transfers.each(assets, async (asset): Promise<AssetResult> => {
    const { key } = asset;
    try {
      return { key, outcome: 'done', files: await deliverAsset(asset, config, context) };
    } catch (error) {
      const failure = failureOf(error);
      if (!failure) throw error;
      return { key, outcome: 'failed', ...failure };
    }
  });
}

/** Addresses grow old on their way here: a second try asks the platform for the present ones. */
async function deliverAsset(
  asset: StepAsset,
  config: DeliverConfig,
  context: NodeContext,
): Promise<DeliveredFile[]> {
  try {
    return await deliverAll(asset, config, context, false);
  } catch (error) {
    if (!(error instanceof TransferError)) throw error;
    return deliverAll(asset, config, context, true);
  }
}

async function deliverAll(
  asset: StepAsset,
  config: DeliverConfig,
  context: NodeContext,
  fresh: boolean,
): Promise<DeliveredFile[]> {
  const outputs = await outputsOf(asset, config.what, context, fresh);
  const files: DeliveredFile[] = [];
  const taken = new Set<string>();
  for (const [index, output] of outputs.entries()) {
    const path = freePath(nameOf(asset, output, index, config, context), taken);
    const inspect = (file: string) =>
      output.fileType === 'PDF'
        ? inspectPdf(file, output)
        : inspectPicture(file, output, config.verify);
    const { key } = asset;
    const { connector } = config;
    files.push(await fetchFile({ key, url: output.url ?? '', path, connector, inspect }, context));
  }
  return files;
}

/** Troubles of one asset's outputs; all others are not about this asset. */
function failureOf(error: unknown): { code: string; message: string } | null {
  if (
    error instanceof OutputError ||
    error instanceof NoOutputError ||
    error instanceof ResponseShapeError
  )
    return { code: error.code, message: error.message };
  if (error instanceof NotFoundError) return { code: error.code, message: error.detail };
  if (error instanceof TransferError) return { code: 'OUTPUT_REFUSED', message: error.message };
  return null;
}

function nameOf(
  { key, refs }: StepAsset,
  output: OutputRef,
  index: number,
  config: DeliverConfig,
  context: NodeContext,
): string {
  const name = renderName(config.naming, {
    key,
    name: key.split('/').at(-1) ?? key,
    output: output.name,
    index: String(index + 1),
    ext: extensionOf(output.fileType),
    model: refs.modelId ?? '',
    project: refs.projectId ?? '',
    template: refs.templateId ?? '',
    run: context.run.run,
    variant: refs.variantName ?? '',
    bookmark: refs.bookmark ?? '',
    shot: refs.shot ?? '',
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
