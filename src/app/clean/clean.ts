// Deletes unused resources that runs of a pipeline created on the platform. A preview comes before the deletion.
import type { Client } from '@temporalio/client';
import { dayMs } from '../../language/calendar/days.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import { withAuditRecord } from '../../temporal/audit/record-action.ts';
import type { WithReadability } from '../../temporal/codec/tolerant-reader.ts';
import type { App } from '../app.ts';
import { compilePipeline } from '../compile-pipeline.ts';
import { readKnownRuns } from '../find/record-locations.ts';
import { chooseRunTarget } from '../run-target.ts';
import { withTemporal } from '../temporal-client.ts';
import { unreadablePayloadError } from '../unreadable-payload.ts';
import { deleteConfirmedOrphans } from './delete-confirmed-orphans.ts';
import { type CleanShape, type DeletionPreview, previewDeletion } from './deletion-preview.ts';

export interface CleanOptions {
  parameters?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** Minimum age of deleted resources, ms. @default 24 hours, the lifetime of idempotency keys (docs/platform.md) */
  olderThanMs?: number | undefined;
  /** Also deletes resources and records of colorways that the file or its table no longer contains. */
  removedColorways?: boolean | undefined;
  /** Copied to the result. The preview itself never deletes anything. */
  dryRun?: boolean | undefined;
}

export interface CleanPreview extends DeletionPreview {
  /** Task queue of the pipeline's runs, whose audit log records the deletion. */
  taskQueue: string;
}

/** @throws RenderlineError if Temporal or a run cannot be read, so that the resources in use are unknown */
export async function previewClean(
  app: App,
  file: string,
  { parameters = {}, olderThanMs = dayMs, removedColorways = false, dryRun = false }: CleanOptions,
): Promise<CleanPreview> {
  const { plan } = await compilePipeline(app, file, parameters);
  await app.platform();
  return withTemporal(app, async ({ client }) => {
    const { locations, unreadable } = await readKnownRuns(client, 'all');
    assertRunsReadable(unreadable);
    const { taskQueue } = await chooseRunTarget(app);
    const options = { file, olderThanMs, removedColorways, dryRun };
    const runs = { locations, readOpen: () => readOpenRuns(client) };
    return { ...(await previewDeletion(app, plan, options, runs)), taskQueue };
  });
}

export interface DeletionOptions {
  /** Reason for the deletion, shown by `renderline audit`. */
  reason?: string | undefined;
  /** True if time has passed since the preview, so that runs may have started. */
  isPreviewOld: boolean;
  /** Called when the deletion starts. Returns a signal that ends the deletion early. */
  onDeleting?: (() => AbortSignal) | undefined;
}

/** Deletes the resources of a preview that are still unused, and records the deletion in the audit log. */
export async function cleanPipeline(
  app: App,
  preview: CleanPreview,
  { reason, isPreviewOld, onDeleting }: DeletionOptions,
): Promise<CleanShape> {
  const { taskQueue } = preview;
  const { pipeline, file } = preview.plan;
  const { olderThan } = preview.shape;
  const { removedColorways } = preview.options;
  const act = { what: 'cleaned', subject: 'pipeline', name: pipeline, pipeline } as const;
  return withTemporal(app, ({ client }) =>
    deleteConfirmedOrphans(app, preview, {
      readOpenRuns: isPreviewOld ? () => readOpenRuns(client) : null,
      onDeleting,
      record(deletion, task) {
        const details = { file, olderThan, removedColorways, ...deletion };
        const action = { ...act, details, ...omitUndefined({ reason }) };
        return withAuditRecord({ client, taskQueue }, action, task);
      },
    }),
  );
}

async function readOpenRuns(client: Client): Promise<ReadonlySet<string>> {
  return (await readKnownRuns(client, 'open')).openRuns;
}

/** @throws RenderlineError if a run cannot be decrypted here, because the resources that it uses are then unknown */
function assertRunsReadable(runs: readonly WithReadability[]): void {
  const [first] = runs.flatMap(({ unreadable }) => unreadable ?? []);
  if (first === undefined) return;
  throw unreadablePayloadError(
    first,
    `The resources used by ${formatCount(runs.length, 'run')} are unknown, so nothing is deleted.`,
  );
}
