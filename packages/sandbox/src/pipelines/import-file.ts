import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from '../context/sandbox.ts';
import { confirmUpload, createModels, recordUploadedFile } from '../models/create-model.ts';
import type { PipelineJobRecord } from '../state/pipeline-records.ts';
import type { ModelRecord } from '../state/records.ts';
import { assertWithinLimit, assertWithinStorage } from '../workspace/plan-limits.ts';
import { fileTypeOf } from './folder.ts';

/** Imports a file of a connected folder as a model, like an upload. Rejects if that fails. */
export async function importFile(
  sandbox: Sandbox,
  job: PipelineJobRecord,
  folder: string,
): Promise<void> {
  const { files, limits, options } = sandbox;
  const { path, size } = job.sourceFile;
  const model = ensureModel(sandbox, job);
  const source = createReadStream(join(folder, path));
  const { modelFileBytes } = limits.values;
  const storedFile = await files.write(model.uploadKey, source, size, modelFileBytes);
  await recordUploadedFile(sandbox, model, storedFile);
  confirmUpload(sandbox, model, options.clock());
  sandbox.store.flush();
}

/** Returns the model of an earlier attempt, or a new one. @throws ApiFailure if the plan's limit is reached */
function ensureModel(sandbox: Sandbox, job: PipelineJobRecord): ModelRecord {
  const { store, options } = sandbox;
  const existingModel = store.models.get(job.modelId ?? '');
  if (existingModel) return existingModel;
  const { name: fileName, size } = job.sourceFile;
  assertWithinLimit(sandbox, 'models', 1);
  assertWithinStorage(sandbox, size);
  const nowMs = options.clock();
  const item = { fileType: fileTypeOf(fileName), fileName, fileSize: size };
  const { models, errors } = createModels(sandbox, [item], nowMs);
  const [model] = models;
  if (!model) throw new Error(errors.join('; '));
  store.pipelineJobs.update(job, { modelId: model.id, updatedAt: nowMs });
  store.flush();
  return model;
}
