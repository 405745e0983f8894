// Processes confirmed materials: checks their textures and generates missing ones.

import type { Sandbox } from '../context/sandbox.ts';
import { refuseInput } from '../http/failure.ts';
import type { MaterialOutcome, MaterialRecord, TextureRecord } from '../state/library-records.ts';
import { findDominantColor } from './color-names.ts';
import { generateTextures } from './generated-textures.ts';
import { texturesOf } from './materials.ts';

/** Starts processing, unless it was started before. @throws ApiFailure VALIDATION_ERROR for a flat material */
export function startProcessing(sandbox: Sandbox, material: MaterialRecord, nowMs: number): void {
  if (material.flatHex !== undefined) {
    refuseInput(
      `Material ${material.id} (${material.name}) has a flat colour and accepts no textures.`,
    );
  }
  if (material.confirmedAt !== undefined) return;
  sandbox.store.materials.update(material, { confirmedAt: nowMs });
  startBackgroundProcessing(sandbox, material, nowMs);
}

/** Resumes processing that a stop of the sandbox has interrupted. */
export function resumeProcessing(sandbox: Sandbox): void {
  for (const material of sandbox.store.materials.all) {
    const { confirmedAt, outcome } = material;
    if (confirmedAt !== undefined && !outcome)
      startBackgroundProcessing(sandbox, material, confirmedAt);
  }
}

function startBackgroundProcessing(
  sandbox: Sandbox,
  material: MaterialRecord,
  confirmedAt: number,
): void {
  const { store, files } = sandbox;
  const isCurrent = () => store.materials.get(material.id)?.confirmedAt === confirmedAt;
  // The runs are executed in turn, because every run writes the same files.
  sandbox.background.runInTurn(material.id, async () => {
    if (!isCurrent()) return;
    const { outcome, generated } = await processMaterial(sandbox, material);
    if (sandbox.stopSignal.aborted) return;
    if (isCurrent()) {
      store.materials.update(material, {
        outcome,
        textures: { ...material.textures, ...generated },
      });
      store.flush();
      return;
    }
    // If the material has since been deleted or got another image, generated maps that it does not use are deleted.
    const current = Object.values(store.materials.get(material.id)?.textures ?? {});
    const currentKeys = current.map(({ uploadKey }) => uploadKey);
    for (const { uploadKey } of Object.values(generated)) {
      if (!currentKeys.includes(uploadKey)) await files.remove(uploadKey);
    }
  });
}

interface ProcessedMaterial {
  readonly outcome: MaterialOutcome;
  readonly generated: Readonly<Record<string, TextureRecord>>;
}

async function processMaterial(
  sandbox: Sandbox,
  material: MaterialRecord,
): Promise<ProcessedMaterial> {
  for (const [channel, { file }] of texturesOf(material)) {
    if (file?.problem === undefined) continue;
    const problem = `The ${channel} texture cannot be used: ${file.problem}.`;
    return { outcome: { problem }, generated: {} };
  }
  try {
    const { diffuse, generated } = await generateTextures(sandbox, material);
    return { outcome: { colorHex: await findDominantColor(diffuse) }, generated };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { outcome: { problem: `The textures cannot be used: ${reason}` }, generated: {} };
  }
}
