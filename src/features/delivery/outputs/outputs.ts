// Reads the deliverable outputs of an asset (those of its render job and its production file) and their current URLs.
import { classify } from '../../../api/errors/retry.ts';
import type { NodeContext } from '../../../engine/node-context.ts';
import { nullIfNotFound } from '../../../engine/null-if-not-found.ts';
import { callOptions } from '../../../engine/submit/call-outcome.ts';
import type { StepAsset } from '../../../plan/types.ts';
import { mapBounded } from '../../../store/objects/map-bounded.ts';
import { productionFailures } from '../../production/failures.ts';
import { toOutputRefs } from '../../renders/job-outputs.ts';
import type { OutputRef } from '../../renders/platform-ids.ts';
import { deliveryFailures } from '../failures.ts';
import type { RetryWindow } from './fetch-retries.ts';
import { DeliveryError, formatOutput } from './output-error.ts';
import { findOutputKind, renderTypeNames } from './output-types.ts';

/** Maximum number of outputs of one render job: 50 variants in 50 views. */
export const maxOutputs = 2_500;

export type Deliverable = 'renders' | 'production_files' | 'models';

/**
 * Returns outputs in a stable order, because file names depend on the order. Reused outputs may lack their URLs.
 * @param mustReadUrls true reads new URLs from the platform, because the known ones may have expired
 */
export async function readOutputs(
  asset: StepAsset,
  kinds: readonly Deliverable[],
  context: NodeContext,
  mustReadUrls: boolean,
): Promise<OutputRef[]> {
  const renders = kinds.includes('renders')
    ? await readRenderOutputs(asset, context, mustReadUrls)
    : [];
  const sheets = kinds.includes('production_files')
    ? [await readProductionFile(asset, context, mustReadUrls)]
    : [];
  return [...renders, ...sheets];
}

/** Uses the outputs that the wait recorded, or reads them from the job if there are none. */
async function readRenderOutputs(
  asset: StepAsset,
  context: NodeContext,
  mustReadUrls: boolean,
): Promise<OutputRef[]> {
  const { outputs: storedOutputs, reusableStages, jobId = '' } = asset.platformIds;
  // Reused files need no URL.
  const isReused = reusableStages?.includes('render') === true;
  const canUseStored =
    !mustReadUrls &&
    storedOutputs?.every(({ url }) => isReused || url !== undefined) === true &&
    findDuplicate(storedOutputs) === null;
  const outputs = canUseStored ? storedOutputs : await readNewOutputs(asset, context);
  const job = `render job ${jobId}`;
  if (outputs.length === 0) {
    throw new DeliveryError(deliveryFailures.NO_OUTPUT, `${job} completed without any output`);
  }
  if (outputs.length > maxOutputs) {
    const message = `${job} lists ${outputs.length} outputs, more than ${maxOutputs}`;
    throw new DeliveryError(deliveryFailures.TOO_MANY_OUTPUTS, message);
  }
  const duplicate = findDuplicate(outputs);
  if (duplicate !== null) {
    const message = `${job} lists ${formatOutput(duplicate)} twice, so another output may be missing`;
    throw new DeliveryError(deliveryFailures.OUTPUT_TWICE, message);
  }
  const other = outputs.find((output) => findOutputKind(output) === null);
  if (other !== undefined) {
    const type = JSON.stringify(other.fileType);
    const message = `${formatOutput(other)}: has the type ${type}, but outputs of renders must be ${renderTypeNames}`;
    throw new DeliveryError(deliveryFailures.OUTPUT_FORMAT, message);
  }
  return [...outputs].sort(compareByName);
}

function findDuplicate(outputs: readonly OutputRef[]): OutputRef | null {
  const seenIds = new Set<string>();
  for (const output of outputs) {
    if (seenIds.has(output.id)) return output;
    seenIds.add(output.id);
  }
  return null;
}

/** Sorts by name, then by id, because the list and the job have different orders and file names must be stable. */
function compareByName(a: OutputRef, b: OutputRef): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

/** Reads the outputs of the job. If `select` specifies an output id, no job is known, so its link is read. */
async function readNewOutputs(asset: StepAsset, context: NodeContext): Promise<OutputRef[]> {
  const { jobId, projectId, outputs = [] } = asset.platformIds;
  const { client } = context;
  if (jobId === undefined) {
    return mapBounded(outputs, async (output): Promise<OutputRef> => {
      const params = { renderId: output.id };
      const { location } = await client.downloadRender({ params }, callOptions(context));
      return { ...output, url: location };
    });
  }
  const job = await client.getRenderJob({ params: { jobId } }, callOptions(context));
  if (job.projectId !== undefined && projectId !== undefined && job.projectId !== projectId) {
    const message = `render job ${jobId} belongs to project ${job.projectId}, not to ${projectId}, so its pictures do not belong to this asset`;
    throw new DeliveryError(deliveryFailures.OUTPUT_OF_ANOTHER, message);
  }
  const previewIds = new Set(outputs.filter(({ isPreview }) => isPreview).map(({ id }) => id));
  return toOutputRefs(job).map((output) => ({ ...output, isPreview: previewIds.has(output.id) }));
}

/** Reads the production file with its link, unless it is reused. The link expires after an hour and is never stored. */
async function readProductionFile(
  { platformIds }: StepAsset,
  context: NodeContext,
  mustReadUrls: boolean,
): Promise<OutputRef> {
  const { fileId = '', name = '' } = platformIds.sheet ?? {};
  const pdf = { id: fileId, name, fileType: 'PDF', isVideo: false, isPreview: false };
  if (!mustReadUrls && platformIds.reusableStages?.includes('sheet')) return pdf;
  const { modelId = '' } = platformIds;
  const request = { params: { modelId } };
  const list = await nullIfNotFound(() =>
    context.client.listProductionFiles(request, callOptions(context)),
  );
  const url = list?.productionFiles.find(({ id }) => id === fileId)?.downloadUrl;
  if (url !== undefined) return { ...pdf, url };
  const message = `production file ${name} (${fileId}) of model ${modelId} is not in the workspace`;
  throw new DeliveryError(productionFailures.PRODUCTION_FILE_NOT_FOUND, message);
}

/**
 * Returns a function that returns the current URL of an output. All outputs of a kind share one read. They are read
 * again after a transient error, or if storage refused a URL that the last read returned, so a platform that repeats
 * its URLs is not asked repeatedly. Falls back to the known URL if there is no other or the platform does not respond.
 */
export function createUrlReader(asset: StepAsset, context: NodeContext) {
  const reads = new Map<Deliverable, Promise<OutputRef[]>>();
  /** The last read that returned a new URL, by output id. */
  const newUrlReads = new Map<string, Promise<OutputRef[]>>();
  return async (output: OutputRef, refusedUrl?: string): Promise<string> => {
    const kind = output.fileType === 'PDF' ? 'production_files' : 'renders';
    if (refusedUrl !== undefined && newUrlReads.get(output.id) === reads.get(kind))
      reads.delete(kind);
    const read = reads.get(kind) ?? readOutputs(asset, [kind], context, true);
    reads.set(kind, read);
    const outputs = await read.catch((error: unknown) => {
      if (!isTransientError(error)) throw error;
      if (reads.get(kind) === read) reads.delete(kind);
      return [];
    });
    const url = outputs.find(({ id }) => id === output.id)?.url;
    if (url !== undefined && url !== refusedUrl && url !== output.url)
      newUrlReads.set(output.id, read);
    return url ?? refusedUrl ?? output.url ?? '';
  };
}

function isTransientError(error: unknown): boolean {
  return ['backoff', 'rate', 'retry-soon'].includes(classify(error).kind);
}

const delaysMs = [2_000, 5_000, 10_000];

/** Retries the task up to three times while the render has no output. @throws DeliveryError NO_OUTPUT */
export async function awaitOutputs<T>(
  task: () => Promise<T>,
  { pause, retryUntilAtMs }: RetryWindow,
  { transfers, now, signal }: Pick<NodeContext, 'transfers' | 'now' | 'signal'>,
): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await transfers.run(task);
    } catch (error) {
      const pauseMs = delaysMs[tries];
      const isWithoutOutput =
        error instanceof DeliveryError && error.failure === deliveryFailures.NO_OUTPUT;
      if (!isWithoutOutput || pauseMs === undefined || now() >= retryUntilAtMs) throw error;
      await pause(pauseMs, signal);
    }
  }
}
