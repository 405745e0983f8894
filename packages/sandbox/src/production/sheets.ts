// Collects the data of a production file at the time it is built.
import { copyFileSync, existsSync, linkSync } from 'node:fs';
import type { ProductionOptions } from 'renderline/api/operations/production';
import type { Sandbox } from '../context/sandbox.ts';
import type { DecalRecord } from '../state/library-records.ts';
import type {
  CaptureRecord,
  Notice,
  Sheet,
  SheetLogo,
  SheetVariant,
  SheetZone,
} from '../state/production-records.ts';
import type { ModelRecord, SlotLogoRecord } from '../state/records.ts';
import { logosOf, type Slot, slotsOf, type Variant } from '../variants/variants.ts';
import { captureEndedAt, capturesOf, findLatestViews } from './capture-state.ts';
import { hashAppearance } from './hash-appearance.ts';

export interface SheetInput {
  readonly model: ModelRecord;
  readonly variants: readonly Variant[];
  readonly options: ProductionOptions;
  /** Pictures that are printed if there are no views, by variant id. */
  readonly previews: ReadonlyMap<string, string>;
  /** Variants whose capture for this file has failed. */
  readonly notCaptured: ReadonlySet<string>;
  readonly nowMs: number;
}

/** Builds the content of a file, with pictures that later changes do not affect. */
export function buildSheet(sandbox: Sandbox, input: SheetInput): Sheet {
  const { model, options, variants, nowMs } = input;
  const captures = capturesOf(sandbox, model.id);
  return {
    modelName: model.name,
    options,
    variants: variants.map((variant) =>
      createSheetVariant(sandbox, input, variant, findLatestViews(captures, variant.id, nowMs)),
    ),
  };
}

function createSheetVariant(
  sandbox: Sandbox,
  { model, previews, notCaptured }: SheetInput,
  variant: Variant,
  views: CaptureRecord | undefined,
): SheetVariant {
  const notices: Notice[] = [];
  if (notCaptured.has(variant.id)) notices.push('not-captured');
  else if (!views) notices.push('never-captured');
  if (views && views.appearanceKey !== hashAppearance(sandbox, model, variant))
    notices.push('stale');
  const slots = slotsOf(model);
  const logos = logosOf(sandbox, model).filter(({ variantId }) => variantId === variant.id);
  return {
    id: variant.id,
    name: variant.name,
    notices,
    capturedAt: views && captureEndedAt(views),
    captureMode: views?.mode,
    views: views?.captured?.views,
    preview: views ? undefined : previews.get(variant.id),
    zones: slots
      .filter(({ id }) => views?.captured?.wornSlotIds?.includes(id) ?? true)
      .map((slot) => createSheetZone(sandbox, slot, variant)),
    logos: logos.flatMap(
      (logo, index) => createSheetLogo(sandbox, logo, index + 1, slots, views) ?? [],
    ),
  };
}

function createSheetZone({ store }: Sandbox, slot: Slot, { swaps }: Variant): SheetZone {
  const material = store.materials.get(swaps[slot.id] ?? '');
  const { name = "the file's own", pantone } = material ?? {};
  return { name: slotNameOf(slot), material: name, pantone };
}

/** Returns the name with the slot's number, since material names may repeat or be empty. */
function slotNameOf({ name, materialIndex }: Slot): string {
  return `${materialIndex + 1}. ${name === '' ? 'unnamed zone' : name}`;
}

function createSheetLogo(
  sandbox: Sandbox,
  logo: SlotLogoRecord,
  number: number,
  slots: readonly Slot[],
  views: CaptureRecord | undefined,
): SheetLogo | undefined {
  const decal = sandbox.store.decals.get(logo.decalId);
  const slot = slots.find(({ id }) => id === logo.slotId);
  if (!decal || !slot) return undefined;
  const { captured } = views ?? {};
  return {
    number,
    slotName: slotNameOf(slot),
    name: decal.name,
    picture: keepDecal(sandbox, decal),
    width: decal.file?.width ?? 0,
    height: decal.file?.height ?? 0,
    method: logo.decorationMethod,
    inks: [...decal.inks],
    closeUp: captured?.closeUps[logo.slotId],
    placement: captured?.placements.find(({ slotId }) => slotId === logo.slotId),
  };
}

/** Keeps the decal's image, in case the decal is deleted, named by its content. Undefined if unusable. */
function keepDecal({ files, pictures }: Sandbox, decal: DecalRecord): string | undefined {
  const { file, fileType, uploadKey } = decal;
  if (!file || file.tooLarge || file.problem !== undefined) return undefined;
  const name = `decal-${file.sha256}.${fileType}`;
  const target = pictures.path(name);
  if (existsSync(target)) return name;
  const source = files.path(uploadKey);
  if (!existsSync(source)) return undefined;
  try {
    linkSync(source, target);
  } catch {
    // The file is copied, because some file systems do not support links.
    copyFileSync(source, target);
  }
  return name;
}
