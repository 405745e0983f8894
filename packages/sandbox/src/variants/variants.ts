// The variants of a model (those of its file, and its colorways), its slots and their logos.

import type { Sandbox } from '../context/sandbox.ts';
import type { ModelRecord, ProjectRecord, SlotLogoRecord } from '../state/records.ts';
import { createGuid } from '../state/seeded-random.ts';
import { colorwayJobStatusOf } from '../status/colorways.ts';
import { findProcessedAtMs, isModelReady, modelStatusOf } from '../status/models.ts';
import { isSameGuid } from './guid.ts';

export interface Variant {
  readonly id: string;
  readonly name: string;
  /** True for the first variant of the file, or the implicit one of a file without variants. */
  readonly isDefault: boolean;
  readonly kind: 'file' | 'colorway';
  /** Epoch milliseconds. Zero for the variants of the file, which are as old as the file. */
  readonly createdAtMs: number;
  /** Library material ids by slot id. Other slots keep the file's material. */
  readonly swaps: Readonly<Record<string, string>>;
}

export interface Slot {
  readonly id: string;
  /** The material's name in the file. Empty if none. Names may repeat. */
  readonly name: string;
  readonly materialIndex: number;
}

type SlotKey = Pick<SlotLogoRecord, 'modelId' | 'variantId' | 'slotId'>;

/** True once processing has read the file without a problem. */
function isFileRead(model: ModelRecord, nowMs: number): boolean {
  const end = findProcessedAtMs(model);
  if (end === undefined || model.file?.problem !== undefined) return false;
  return end <= nowMs || isModelReady(modelStatusOf(model, nowMs));
}

/** Returns the variants of a model, the file's own first. Empty before the file is processed, or if that failed. */
export function variantsOf(sandbox: Sandbox, model: ModelRecord): readonly Variant[] {
  if (!isFileRead(model, sandbox.options.clock())) return [];
  return [...fileVariantsOf(sandbox, model), ...colorwayVariantsOf(sandbox, model)];
}

function fileVariantsOf({ store }: Sandbox, model: ModelRecord): Variant[] {
  const facts = { kind: 'file', createdAtMs: 0, swaps: {} } as const;
  const variants = model.file?.variants ?? [];
  if (variants.length > 0)
    return variants.map((variant, index) => ({ ...variant, isDefault: index === 0, ...facts }));
  const id = createGuid(store.workspace.seed, 'default variant', model.id);
  return [{ id, name: 'Default', isDefault: true, ...facts }];
}

/** Returns one variant per completed colorway job. */
function colorwayVariantsOf({ store, options }: Sandbox, model: ModelRecord): Variant[] {
  const nowMs = options.clock();
  return (model.colorwayJobIds ?? []).flatMap((jobId) => {
    const job = store.colorwayJobs.get(jobId);
    if (!job || colorwayJobStatusOf(job, nowMs) !== 'complete') return [];
    // A slot whose material was deleted has the file's material again.
    const swaps = Object.fromEntries(
      Object.entries(job.swaps).filter(([, materialId]) => store.materials.get(materialId)),
    );
    const { variantId: id, variantName: name, endAt: createdAtMs } = job;
    return [{ id, name, isDefault: false, kind: 'colorway', createdAtMs, swaps }];
  });
}

/** Lists the variants of a model in a project: the variants from the project's creation, and those added since. */
export function listVariants(
  sandbox: Sandbox,
  { createdAt, addedVariantIds = [] }: ProjectRecord,
  model: ModelRecord,
): readonly Variant[] {
  return variantsOf(sandbox, model).filter(
    ({ id, createdAtMs }) => createdAtMs <= createdAt || addedVariantIds.includes(id),
  );
}

/** Finds a variant by its id. Any spelling of a GUID is accepted. */
export function findVariant(sandbox: Sandbox, model: ModelRecord, id: string): Variant | undefined {
  return variantsOf(sandbox, model).find((variant) => isSameGuid(variant.id, id));
}

/** Returns the materials of the model's file in order. Ids are by index, since names may repeat. */
export function slotsOf(model: ModelRecord): readonly Slot[] {
  const names = model.file?.materials ?? [];
  return names.map((name, index) => ({
    id: `slot-${index}`,
    name: name ?? '',
    materialIndex: index,
  }));
}

/** Finds the logo in a slot of a variant. `variantId` must be the variant's own spelling. */
export function findSlotLogo({ store }: Sandbox, location: SlotKey): SlotLogoRecord | undefined {
  return store.slotLogos.get(slotLogoIdOf(location));
}

/** Returns all logos of a model, in the order in which they were first set. */
export function logosOf({ store }: Sandbox, model: ModelRecord): readonly SlotLogoRecord[] {
  return store.slotLogos.all.filter(({ modelId }) => modelId === model.id);
}

/** Sets the logo of a slot, or removes it (null). Another logo keeps the decoration method. Removal deletes it. */
export function setSlotLogo(
  { store }: Sandbox,
  location: SlotKey,
  decalId: string | null,
  nowMs: number,
): SlotLogoRecord | undefined {
  const id = slotLogoIdOf(location);
  const currentLogo = store.slotLogos.get(id);
  if (decalId === null) {
    store.slotLogos.remove(id);
    return undefined;
  }
  if (!currentLogo) return store.slotLogos.insert({ id, ...location, decalId, changedAt: nowMs });
  store.slotLogos.update(currentLogo, { decalId, changedAt: nowMs });
  return currentLogo;
}

/** Removes a deleted logo from all slots. */
export function removeLogo({ store }: Sandbox, decalId: string): void {
  const logos = store.slotLogos.all.filter((logo) => logo.decalId === decalId);
  for (const { id } of logos) store.slotLogos.remove(id);
}

/** Removes the logos of a deleted model. */
export function removeLogosOf(sandbox: Sandbox, model: ModelRecord): void {
  for (const logo of logosOf(sandbox, model)) sandbox.store.slotLogos.remove(logo.id);
}

function slotLogoIdOf({ modelId, variantId, slotId }: SlotKey): string {
  return `${modelId}/${variantId}/${slotId}`;
}
