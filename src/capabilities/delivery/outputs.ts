// The deliverable outputs of an asset: those of its render job, and its production file.
import { NotFoundError } from '../../api/errors.ts';
import type { NodeContext } from '../../machinery/node-context.ts';
import type { StepAsset } from '../../plan/types.ts';
import { productionFailures } from '../production/failures.ts';
import { outputRefsOf } from '../renders/job-outputs.ts';
import type { OutputRef } from '../renders/refs.ts';
import { deliveryFailures } from './failures.ts';
import { DeliveryError, outputWords } from './output-error.ts';
import { renderedAs, renderTypes } from './output-types.ts';

/** Outputs of one render job: 50 variants in 50 views. */
export const outputsAtMost = 2_500;

export type Deliverable = 'renders' | 'production_files' | 'models';

/**
 * Returns outputs with their URLs, in a stable order, because file names depend on it.
 * @param fresh true reads new URLs from the platform, because the known ones may have expired
 */
export async function outputsOf(
  asset: StepAsset,
  what: readonly Deliverable[],
  context: NodeContext,
  fresh: boolean,
): Promise<OutputRef[]> {
  const renders = what.includes('renders') ? await rendersOf(asset, context, fresh) : [];
  const sheets = what.includes('production_files') ? [await sheetOf(asset, context, fresh)] : [];
  return [...renders, ...sheets];
}

/** Uses the outputs that the wait recorded, else reads them from the job. */
async function rendersOf(
  asset: StepAsset,
  context: NodeContext,
  fresh: boolean,
): Promise<OutputRef[]> {
  const carried = asset.refs.outputs;
  // Files that are reused need no URL.
  const stands = asset.refs.stands?.includes('render') === true;
  const usable = !fresh && carried?.every(({ url }) => stands || url !== undefined) === true;
  const known = usable && twice(carried) === null ? carried : null;
  const outputs = known ?? (await freshOutputs(asset, context));
  const job = `render job ${asset.refs.jobId ?? ''}`;
  if (outputs.length === 0) {
    throw new DeliveryError(deliveryFailures.NO_OUTPUT, `${job} completed without any output`);
  }
  if (outputs.length > outputsAtMost) {
    const message = `${job} lists ${outputs.length} outputs, more than ${outputsAtMost}`;
    throw new DeliveryError(deliveryFailures.TOO_MANY_OUTPUTS, message);
  }
  const doubled = twice(outputs);
  if (doubled !== null) {
    const message = `${job} lists ${outputWords(doubled)} twice, so another one may be missing`;
    throw new DeliveryError(deliveryFailures.OUTPUT_TWICE, message);
  }
  const other = outputs.find((output) => renderedAs(output) === null);
  if (other !== undefined) {
    const type = JSON.stringify(other.fileType);
    const message = `${outputWords(other)}: is of type ${type}, where renders are ${renderTypes}`;
    throw new DeliveryError(deliveryFailures.OUTPUT_FORMAT, message);
  }
  return [...outputs].sort(byName);
}

/** Returns an output that is listed more than once; null if there is none. */
function twice(outputs: readonly OutputRef[]): OutputRef | null {
  const seen = new Set<string>();
  for (const output of outputs) {
    if (seen.has(output.id)) return output;
    seen.add(output.id);
  }
  return null;
}

/** The list is newest first, the job has another order; file names must depend on neither. */
export function byName(a: OutputRef, b: OutputRef): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

/** An output that `select` names by its id has no known job, so its own download link is read. */
async function freshOutputs(asset: StepAsset, context: NodeContext): Promise<OutputRef[]> {
  const { jobId, outputs = [] } = asset.refs;
  if (jobId !== undefined) return outputsOfJob(asset, context);
  const options = { priority: 'create' as const, scope: context.requests, signal: context.signal };
  const links = outputs.map(async (output): Promise<OutputRef> => {
    const params = { renderId: output.id };
    const { location } = await context.client.downloadRender({ params }, options);
    return { ...output, url: location };
  });
  return Promise.all(links);
}

async function outputsOfJob(asset: StepAsset, context: NodeContext): Promise<OutputRef[]> {
  const options = { priority: 'create' as const, scope: context.requests, signal: context.signal };
  const params = { jobId: asset.refs.jobId ?? '' };
  const job = await context.client.getRenderJob({ params }, options);
  const { projectId } = asset.refs;
  if (job.projectId !== undefined && projectId !== undefined && job.projectId !== projectId) {
    const message = `render job ${params.jobId} is of project ${job.projectId}, not of ${projectId}, so its pictures are not this asset's`;
    throw new DeliveryError(deliveryFailures.OUTPUT_OF_ANOTHER, message);
  }
  const isPreview = (id: string) => asset.refs.outputs?.find((known) => known.id === id)?.isPreview;
  return outputRefsOf(job).map((output) => ({
    ...output,
    isPreview: isPreview(output.id) ?? false,
  }));
}

/** Reads the production file with its link. The link expires after an hour and is never stored. */
async function sheetOf(
  { refs }: StepAsset,
  context: NodeContext,
  fresh: boolean,
): Promise<OutputRef> {
  const { fileId = '', name = '' } = refs.sheet ?? {};
  const pdf = { id: fileId, name, fileType: 'PDF', isVideo: false, isPreview: false };
  if (!fresh && refs.stands?.includes('sheet')) return pdf;
  const gone = `production file ${name} (${fileId}) of model ${refs.modelId ?? ''} is not in the workspace`;
  const options = { priority: 'create' as const, scope: context.requests, signal: context.signal };
  const params = { modelId: refs.modelId ?? '' };
  try {
    const { productionFiles } = await context.client.listProductionFiles({ params }, options);
    const file = productionFiles.find(({ id }) => id === fileId);
    if (file?.downloadUrl === undefined)
      throw new DeliveryError(productionFailures.PRODUCTION_FILE_NOT_FOUND, gone);
    const url = file.downloadUrl;
    return { ...pdf, url };
  } catch (error) {
    if (error instanceof NotFoundError)
      throw new DeliveryError(productionFailures.PRODUCTION_FILE_NOT_FOUND, gone);
    throw error;
  }
}
