// Computes the status and response bodies of a render job from its stored facts.

import type { RenderAsset, RenderJobStatus, RenderOutput } from 'renderline/api/operations/renders';
import type { z } from 'zod';
import type { OutputRecord, RenderJobRecord } from '../state/records.ts';

/** Returns the status at a time. A job whose pictures are not drawn in time is EXPORTING until they are. */
export function renderJobStatus(job: RenderJobRecord, nowMs: number): RenderJobStatus {
  if (job.cancelledAt !== undefined) return 'CANCELLED';
  if (nowMs < job.dispatchAt) return 'QUEUED';
  if (nowMs < job.endAt) return 'RENDERING';
  if (job.failure !== undefined) return 'FAILED';
  return job.drawnAt === undefined ? 'EXPORTING' : 'COMPLETED';
}

/** Returns when the outputs of a job became available, in epoch milliseconds. Meaningful only once COMPLETED. */
export function finishedAtMsOf(job: RenderJobRecord): number {
  return Math.max(job.endAt, job.drawnAt ?? 0);
}

export function isFinalStatus(status: RenderJobStatus): boolean {
  return status === 'COMPLETED' || status === 'FAILED' || status === 'CANCELLED';
}

const extensions = { PNG: 'png', JPEG: 'jpeg', TIFF: 'tiff', MP4: 'mp4' } as const;

export function hasVideoFormat(output: OutputRecord): boolean {
  return output.format === 'MP4';
}

/** Returns the path of an output under `/cdn` and under the signed downloads. */
export function outputKeyOf(output: OutputRecord): string {
  const name = hasVideoFormat(output) ? 'video' : 'image';
  return `renders/${output.id}/${name}.${extensions[output.format]}`;
}

/** Returns the path of an output's thumbnail under `/cdn`. */
export function thumbnailKeyOf(output: OutputRecord): string {
  return `renders/${output.id}/thumbnail.jpeg`;
}

export function renderOutput(output: OutputRecord, origin: string): z.input<typeof RenderOutput> {
  return {
    id: output.id,
    name: output.name,
    filePath: `${origin}/cdn/${outputKeyOf(output)}`,
    fileType: output.format,
    isVideo: hasVideoFormat(output),
  };
}

function formatRatio(width: number, height: number): string {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  const commonDivisor = divisor(width, height);
  return `${width / commonDivisor}:${height / commonDivisor}`;
}

export function renderAsset(
  job: RenderJobRecord,
  output: OutputRecord,
  origin: string,
): z.input<typeof RenderAsset> {
  return {
    id: output.id,
    name: output.name,
    projectId: job.projectId,
    fileType: output.format,
    isVideo: hasVideoFormat(output),
    aspectRatio: formatRatio(output.width, output.height),
    resolution: `${output.width}x${output.height}`,
    ...(output.seconds === undefined ? {} : { duration: output.seconds }),
    fileSize: output.bytes ?? 0,
    favorited: output.favorited ?? false,
    isPreview: output.isPreview ?? false,
    createdAt: new Date(finishedAtMsOf(job)).toISOString(),
    url: `${origin}/cdn/${outputKeyOf(output)}`,
    thumbnailUrl: `${origin}/cdn/${thumbnailKeyOf(output)}`,
  };
}
