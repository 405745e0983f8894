// The variants and slots of a model: those of its file, and the colorways that were made of it.
import { forgetModelOfJobs } from '../colorways/deletion.ts';
import { colorwayJobStatus } from '../colorways/state.ts';
import { isReady, modelStatus, processedAt } from '../models/state.ts';
import type { Sandbox } from '../sandbox.ts';
import type { ModelRecord, ProjectRecord, SlotLogoRecord } from '../state/records.ts';
import { guid } from '../state/seeded.ts';
import { sameGuid } from './guid.ts';

export interface Variant {
  readonly id: string;
  readonly name: string;
  /** The first variant of the file, or the one that stands for a file without variants. */
  readonly isDefault: boolean;
  readonly kind: 'file' | 'colorway';
  /** Epoch milliseconds; 0 for those of the file, which are there as long as it is. */
  readonly madeAt: number;
  /** Slot id to the id of the library material it wears; other slots wear the file's own. */
  readonly swaps: Readonly<Record<string, string>>;
}

export interface Slot {
  readonly id: string;
  /** As the author wrote it; empty where the material has no name. Names may repeat. */
  readonly name: string;
  readonly materialIndex: number;
}

/** True once processing has read the file. */
function isRead(model: ModelRecord, now: number): boolean {
  const end = processedAt(model);
  if (end === undefined || model.file?.problem !== undefined) return false;
  return end <= now || isReady(modelStatus(model, now));
}

/** The variants of a model, the file's own first; none before its file was processed. */
export function variantsOf(sandbox: Sandbox, model: ModelRecord): readonly Variant[] {
  if (!isRead(model, sandbox.options.clock())) return [];
  return [...fileVariants(sandbox, model), ...colorwayVariants(sandbox, model)];
}

function fileVariants({ store }: Sandbox, model: ModelRecord): Variant[] {
  const named = model.file?.variants ?? [];
  if (named.length > 0) {
    return named.map(({ id, name }, index) => ({
      id,
      name,
      isDefault: index === 0,
      kind: 'file',
      madeAt: 0,
      swaps: {},
    }));
  }
  const id = guid(store.workspace.seed, 'default variant', model.id);
  return [{ id, name: 'Default', isDefault: true, kind: 'file', madeAt: 0, swaps: {} }];
}

/** One for each colorway job that is complete by now. */
function colorwayVariants({ store, options }: Sandbox, model: ModelRecord): Variant[] {
  const now = options.clock();
  return (model.colorwayJobIds ?? []).flatMap((jobId) => {
    const job = store.colorwayJobs.get(jobId);
    if (!job || colorwayJobStatus(job, now) !== 'complete') return [];
    // A material that was deleted leaves its slots to the file's own.
    const swaps = Object.fromEntries(
      Object.entries(job.swaps).filter(([, materialId]) => store.materials.get(materialId)),
    );
    const { variantId: id, variantName: name, endAt: madeAt } = job;
    return [{ id, name, isDefault: false, kind: 'colorway', madeAt, swaps }];
  });
}

/** The variants of a model that a project has: those there were when it was made, and those added to it since. */
export function variantsIn(
  sandbox: Sandbox,
  { createdAt, addedVariantIds = [] }: ProjectRecord,
  model: ModelRecord,
): readonly Variant[] {
  return variantsOf(sandbox, model).filter(
    ({ id, madeAt }) => madeAt <= createdAt || addedVariantIds.includes(id),
  );
}

/** A variant by its id, in any spelling of a GUID. */
export function variantOf(sandbox: Sandbox, model: ModelRecord, id: string): Variant | undefined {
  return variantsOf(sandbox, model).find((variant) => sameGuid(variant.id, id));
}

/** The materials of the model's file, in its order. Names are no keys, so the ids are by index. */
export function slotsOf(model: ModelRecord): readonly Slot[] {
  const names = model.file?.materials ?? [];
  return names.map((name, index) => ({
    id: `slot-${index}`,
    name: name ?? '',
    materialIndex: index,
  }));
}

/** The logo that a slot holds on a variant. `variantId` is the variant's own spelling. */
export function slotLogoOf(
  { store }: Sandbox,
  place: { readonly modelId: string; readonly variantId: string; readonly slotId: string },
): SlotLogoRecord | undefined {
  return store.slotLogos.get(slotLogoId(place));
}

/** All logos on a model, in the order they were first put there. */
export function logosOf({ store }: Sandbox, model: ModelRecord): readonly SlotLogoRecord[] {
  return store.slotLogos.all.filter(({ modelId }) => modelId === model.id);
}

/** Puts a logo into a slot, or takes it out (null). A decoration method stays when logos change (4.13). */
export function setSlotLogo(
  { store }: Sandbox,
  place: { readonly modelId: string; readonly variantId: string; readonly slotId: string },
  decalId: string | null,
  now: number,
): SlotLogoRecord | undefined {
  const id = slotLogoId(place);
  const held = store.slotLogos.get(id);
  if (decalId === null) {
    store.slotLogos.remove(id);
    return undefined;
  }
  if (!held) return store.slotLogos.insert({ id, ...place, decalId, changedAt: now });
  store.slotLogos.update(held, { decalId, changedAt: now });
  return held;
}

/** Takes a deleted logo out of all slots. */
export function forgetDecal({ store }: Sandbox, decalId: string): void {
  const held = store.slotLogos.all.filter((logo) => logo.decalId === decalId);
  for (const { id } of held) store.slotLogos.remove(id);
}

/** Removes the logos of a deleted model and fails its unfinished colorway jobs. */
export function forgetModel(sandbox: Sandbox, model: ModelRecord, now: number): void {
  for (const logo of logosOf(sandbox, model)) sandbox.store.slotLogos.remove(logo.id);
  forgetModelOfJobs(sandbox, model.id, now);
}

function slotLogoId(place: { modelId: string; variantId: string; slotId: string }): string {
  return `${place.modelId}/${place.variantId}/${place.slotId}`;
}
