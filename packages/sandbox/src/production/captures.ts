// Decides when captures may start, and draws their pictures while they are running.
import type { CaptureMode } from 'renderline/api/operations/production';
import { chooseDuration } from '../context/durations.ts';
import type { Sandbox } from '../context/sandbox.ts';
import { findPartMaterials } from '../drawing/materials/material.ts';
import { readScene } from '../scene/scene.ts';
import {
  type CapturedViews,
  type CaptureRecord,
  type Placement,
  type ViewName,
  viewNames,
} from '../state/production-records.ts';
import type { ModelRecord } from '../state/records.ts';
import { isModelReady, modelStatusOf } from '../status/models.ts';
import { findVariant, logosOf, slotsOf, type Variant } from '../variants/variants.ts';
import { hashAppearance } from './hash-appearance.ts';
import { measureSlot } from './measure.ts';
import { drawPreview, drawVariant } from './variant-picture.ts';
import { productionLookOf, viewCamera } from './view-cameras.ts';

/** Duration at speed 1. The platform documents a couple of minutes. */
const captureMs = { min: 90_000, max: 150_000 };

/** Returns why this many captures of a model cannot start now, or undefined. */
export function captureRefusal(
  { store, limits }: Sandbox,
  model: ModelRecord,
  count: number,
  nowMs: number,
): string | undefined {
  const status = modelStatusOf(model, nowMs);
  if (!isModelReady(status)) return `The model ${model.name} is ${status}.`;
  if (!store.projects.all.some(({ modelIds }) => modelIds.includes(model.id))) {
    return `No project contains the model ${model.name}; create a project with the model to capture its views.`;
  }
  const { captures } = limits.values;
  if (captures !== null && store.captures.size + count > captures) {
    return `The plan of the workspace does not allow these captures. Requested: ${count}; left: ${Math.max(0, captures - store.captures.size)}.`;
  }
  return undefined;
}

/** Starts one capture per variant. `captureRefusal` must have been checked. */
export function startCaptures(
  sandbox: Sandbox,
  model: ModelRecord,
  variants: readonly Variant[],
  mode: CaptureMode,
  nowMs: number,
): readonly CaptureRecord[] {
  const { store, faults } = sandbox;
  const jobId = store.newId('capture job');
  const seededMs = chooseDuration(sandbox, captureMs, 'capture');
  const newCaptures = variants.map((variant) => {
    const { failure, durationMs } = faults.faultFor('capture', variant.name);
    return store.captures.insert({
      id: store.newId('capture'),
      jobId,
      modelId: model.id,
      variantId: variant.id,
      mode,
      appearanceKey: hashAppearance(sandbox, model, variant),
      startedAt: nowMs,
      endAt: nowMs + (durationMs ?? seededMs),
      failure,
    });
  });
  drawCaptures(sandbox, newCaptures);
  return newCaptures;
}

/** Resumes captures that a stop of the sandbox has interrupted. */
export function resumeCaptures(sandbox: Sandbox): void {
  const openCaptures = sandbox.store.captures.all.filter(({ drawnAt }) => drawnAt === undefined);
  drawCaptures(sandbox, openCaptures);
}

/** Draws one capture after another, so that other drawings get their turn. */
function drawCaptures(sandbox: Sandbox, captures: readonly CaptureRecord[]): void {
  if (captures.length === 0) return;
  sandbox.background.run(async () => {
    for (const capture of captures) await drawCapture(sandbox, capture);
  });
}

async function drawCapture(sandbox: Sandbox, capture: CaptureRecord): Promise<void> {
  const { store, options } = sandbox;
  let outcome: Partial<CaptureRecord>;
  try {
    const model = store.models.get(capture.modelId);
    const variant = model && findVariant(sandbox, model, capture.variantId);
    if (!model || !variant) throw new Error('the variant was deleted');
    outcome =
      capture.failure === undefined
        ? {
            appearanceKey: hashAppearance(sandbox, model, variant),
            captured: await takeViews(sandbox, model, variant, capture.mode),
          }
        : { preview: await drawPreview(sandbox, model, variant) };
  } catch (error) {
    // Stopping the sandbox is not a failure, because the pictures are drawn at the next start.
    if (sandbox.stopSignal.aborted) return;
    const reason = error instanceof Error ? error.message : String(error);
    outcome = { failure: capture.failure ?? `The views could not be drawn: ${reason}` };
  }
  store.captures.update(capture, { ...outcome, drawnAt: options.clock() });
  store.flush();
}

async function takeViews(
  sandbox: Sandbox,
  model: ModelRecord,
  variant: Variant,
  mode: CaptureMode,
): Promise<CapturedViews> {
  const look = productionLookOf(mode);
  const { placements, ...worn } = await measure(sandbox, model, variant);
  const viewEntries = await Promise.all(
    viewNames.map(async (view) => {
      const file = await drawVariant(sandbox, model, variant, { look, camera: viewCamera(view) });
      return [view, file] as const;
    }),
  );
  const slots = slotsOf(model);
  const closeUps = await Promise.all(
    placements.flatMap(({ slotId, marks: [mark], hiddenSide }) => {
      const slot = slots.find(({ id }) => id === slotId)?.materialIndex;
      const side = mark?.view ?? hiddenSide;
      if (side === undefined || slot === undefined) return [];
      const camera = { ...viewCamera(side), name: `slot ${slot}`, margin: 0.12, slot };
      return [
        drawVariant(sandbox, model, variant, { look, camera }).then(
          (file) => [slotId, file] as const,
        ),
      ];
    }),
  );
  // The cast is safe, because the loop has drawn every view.
  const views = Object.fromEntries(viewEntries) as Record<ViewName, string>;
  return { views, closeUps: Object.fromEntries(closeUps), placements, ...worn };
}

interface Measures {
  readonly placements: readonly Placement[];
  readonly wornSlotIds?: readonly string[];
}

/** Returns the slots that the variant shows, and the placements of those with a logo. */
async function measure(sandbox: Sandbox, model: ModelRecord, variant: Variant): Promise<Measures> {
  // At scale 0 pictures are test cards, and other file types are never drawn.
  const isDrawable = model.fileType === 'glb' || model.fileType === 'gltf';
  if (!isDrawable || sandbox.options.pictureScale === 0) return { placements: [] };
  const scene = await readScene(await sandbox.files.read(model.uploadKey), model.fileType);
  const wornMaterials = findPartMaterials(
    scene,
    variant.kind === 'file' ? variant.name : undefined,
  );
  const wornSlots = slotsOf(model).filter(({ materialIndex }) =>
    wornMaterials.includes(materialIndex),
  );
  const logos = logosOf(sandbox, model).filter(({ variantId }) => variantId === variant.id);
  const slotsWithLogo = wornSlots.filter(({ id }) => logos.some(({ slotId }) => slotId === id));
  return {
    placements: slotsWithLogo.map((slot) => measureSlot(scene, wornMaterials, slot)),
    wornSlotIds: wornSlots.map(({ id }) => id),
  };
}
