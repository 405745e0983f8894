// Starts colorway batches and retries their jobs.
import type { ModelScope, SwapRule } from 'renderline/api/operations/colorways';
import { chooseDuration } from '../context/durations.ts';
import type { Sandbox } from '../context/sandbox.ts';
import { fail, refuseInput } from '../http/failure.ts';
import type { ColorwayBatchRecord, ColorwayJobRecord } from '../state/colorway-records.ts';
import type { ModelRecord } from '../state/records.ts';
import { colorwayJobStatusOf } from '../status/colorways.ts';
import { materialStatusOf } from '../status/materials.ts';
import { isModelReady, modelStatusOf } from '../status/models.ts';
import { type Slot, slotsOf } from '../variants/variants.ts';
import { findAmbiguousNames, matchSlots } from './match-slots.ts';

/** Time in the queue, and total duration of a colorway job, at speed 1. */
const queueMs = { min: 300, max: 1500 };
const totalMs = { min: 2000, max: 6000 };

export interface Warning {
  readonly modelId: string;
  readonly modelName: string;
  readonly message: string;
}

/** Starts a batch. On an error nothing is stored. @throws ApiFailure NOT_FOUND, MODEL_NOT_FOUND, VALIDATION_ERROR */
export function startBatch(
  sandbox: Sandbox,
  order: { readonly swapRules: readonly SwapRule[]; readonly modelScope: ModelScope },
  nowMs: number,
): { batch: ColorwayBatchRecord; warnings: Warning[] } {
  const { store } = sandbox;
  const { swapRules, modelScope } = order;
  assertMaterialsReady(sandbox, swapRules, nowMs);
  const models = findModelsInScope(sandbox, modelScope);
  const batchId = store.newId('colorway batch');
  const definitionId = store.newId('colorway definition');
  const warnings: Warning[] = [];
  const jobIds: string[] = [];
  for (const model of models) {
    const warn = (message: string) =>
      warnings.push({ modelId: model.id, modelName: model.name, message });
    const status = modelStatusOf(model, nowMs);
    if (!isModelReady(status)) {
      warn(`The model is ${status}; materials can be swapped only on READY and APPROVED models.`);
      continue;
    }
    const slots = slotsOf(model);
    const swaps = matchSlots(swapRules, slots);
    if (Object.keys(swaps).length === 0) {
      warn(`No slot of the model matches a rule. ${formatSlots(slots)}`);
      continue;
    }
    for (const name of findAmbiguousNames(swapRules, slots)) {
      warn(
        `Several slots of the model are named "${name}"; the material is swapped on all of them.`,
      );
    }
    jobIds.push(startJob(sandbox, { batchId, definitionId, model, swaps }, nowMs).id);
  }
  const batch = store.colorwayBatches.insert({
    id: batchId,
    createdAt: nowMs,
    swapRules,
    modelScope,
    jobIds,
  });
  return { batch, warnings };
}

/** @throws ApiFailure NOT_FOUND for a missing material, VALIDATION_ERROR for one that is not ready */
function assertMaterialsReady({ store }: Sandbox, rules: readonly SwapRule[], nowMs: number): void {
  rules.forEach(({ materialId }, index) => {
    const fieldPath = `swapRules[${index}].materialId`;
    const material =
      store.materials.get(materialId) ??
      fail('NOT_FOUND', `${fieldPath}: the material ${materialId} does not exist.`);
    const status = materialStatusOf(material, nowMs);
    if (status !== 'ready') {
      refuseInput(
        `${fieldPath}: material ${materialId} (${material.name}) is ${status}; only ready materials can be used.`,
      );
    }
  });
}

function findModelsInScope({ store }: Sandbox, scope: ModelScope): readonly ModelRecord[] {
  if (scope.type === 'all') return store.models.all;
  if (scope.type === 'manual') {
    return [...new Set(scope.modelIds)].map(
      (id) =>
        store.models.get(id) ??
        fail('MODEL_NOT_FOUND', `modelScope.modelIds: the model ${id} does not exist.`),
    );
  }
  const unknownTagId = scope.tagIds.find((id) => !store.tags.get(id));
  if (unknownTagId !== undefined)
    fail('NOT_FOUND', `modelScope.tagIds: the tag ${unknownTagId} does not exist.`);
  const scopeTagIds = new Set(scope.tagIds);
  return store.models.all.filter(({ tagIds }) => tagIds?.some((id) => scopeTagIds.has(id)));
}

function formatSlots(slots: readonly Slot[]): string {
  if (slots.length === 0) return 'The model has no slots.';
  const names = slots.slice(0, 10).map(({ name }) => (name === '' ? '(unnamed)' : `"${name}"`));
  const suffix = slots.length > names.length ? ` and ${slots.length - names.length} more` : '';
  return `The slots of the model are ${names.join(', ')}${suffix}.`;
}

function startJob(
  sandbox: Sandbox,
  input: {
    readonly batchId: string;
    readonly definitionId: string;
    readonly model: ModelRecord;
    readonly swaps: Readonly<Record<string, string>>;
  },
  nowMs: number,
): ColorwayJobRecord {
  const { store } = sandbox;
  const { model, swaps, batchId, definitionId } = input;
  const materialIds = [...new Set(Object.values(swaps))];
  const job = store.colorwayJobs.insert({
    id: store.newId('colorway job'),
    batchId,
    definitionId,
    modelId: model.id,
    variantId: store.newId('variant'),
    variantName: materialIds.map((id) => store.materials.get(id)?.name ?? id).join(' + '),
    swaps,
    retryCount: 0,
    ...planJob(sandbox, model, nowMs),
  });
  store.models.update(model, { colorwayJobIds: [...(model.colorwayJobIds ?? []), job.id] });
  return job;
}

/** Plans when a job starts to swap and when it ends, and its failure, if any. */
function planJob(sandbox: Sandbox, model: ModelRecord, nowMs: number) {
  const { failure, durationMs } = sandbox.faults.faultFor('colorway', model.name);
  const wholeMs = durationMs ?? chooseDuration(sandbox, totalMs, 'colorway');
  const waitMs = Math.min(chooseDuration(sandbox, queueMs, 'colorway queue'), wholeMs);
  return { swapAt: nowMs + waitMs, endAt: nowMs + wholeMs, failure };
}

/** Queues a failed job again. @throws ApiFailure INVALID_STATUS, or a 404 if its model or material was deleted */
export function retryJob(sandbox: Sandbox, job: ColorwayJobRecord, nowMs: number): void {
  const { store } = sandbox;
  const status = colorwayJobStatusOf(job, nowMs);
  if (status !== 'failed') {
    fail(
      'INVALID_STATUS',
      `Colorway job ${job.id} is ${status}; only a failed job can be retried.`,
    );
  }
  const model =
    store.models.get(job.modelId) ??
    fail('MODEL_NOT_FOUND', `The model ${job.modelId} of colorway job ${job.id} was deleted.`);
  const missingId = Object.values(job.swaps).find((id) => !store.materials.get(id));
  if (missingId !== undefined) {
    fail('NOT_FOUND', `The material ${missingId} of colorway job ${job.id} was deleted.`);
  }
  store.colorwayJobs.update(job, {
    ...planJob(sandbox, model, nowMs),
    retryCount: job.retryCount + 1,
  });
}
