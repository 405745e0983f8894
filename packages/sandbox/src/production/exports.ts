// Exports of production files. An export is READY immediately, or CAPTURING until its captures have ended, or FAILED.

import type { ExportStatus, ProductionFileExport } from 'renderline/api/operations/production';
import type { z } from 'zod';
import type { Sandbox } from '../context/sandbox.ts';
import type {
  CaptureRecord,
  ExportRecord,
  ProductionFileRecord,
} from '../state/production-records.ts';
import { findVariant, type Variant } from '../variants/variants.ts';
import {
  captureEndedAt,
  captureState,
  capturesOf,
  findLatestViews,
  isCaptureCurrent,
} from './capture-state.ts';
import { captureRefusal, resumeCaptures, startCaptures } from './captures.ts';
import { createFile, toFileItem } from './files.ts';
import { hashAppearance } from './hash-appearance.ts';
import type { SheetInput } from './sheets.ts';

type ExportRequest = Pick<SheetInput, 'model' | 'variants' | 'options' | 'nowMs'>;

/**
 * Returns the running export of an equal request, if there is one. Otherwise returns a file if no variant needs a
 * capture. If one does, returns a new export that is CAPTURING, or FAILED if captures are refused.
 */
export function requestExport(
  sandbox: Sandbox,
  request: ExportRequest,
): { readonly file: ProductionFileRecord } | { readonly export: ExportRecord } {
  const { store } = sandbox;
  const { model, variants, options, nowMs } = request;
  const currentExport = findRunningExport(sandbox, request);
  if (currentExport) return { export: currentExport };
  const captures = capturesOf(sandbox, model.id);
  const outdatedVariants = variants.filter(
    (variant) =>
      options.recaptureAll ||
      !isCaptureCurrent(
        findLatestViews(captures, variant.id, nowMs),
        hashAppearance(sandbox, model, variant),
        options.captureMode,
      ),
  );
  if (outdatedVariants.length === 0) {
    const none = { previews: new Map<string, string>(), notCaptured: new Set<string>() };
    return { file: createFile(sandbox, { ...request, ...none }) };
  }
  const record = {
    id: store.newId('export'),
    modelId: model.id,
    variantIds: variants.map(({ id }) => id),
    options,
    createdAt: nowMs,
  };
  // A running capture of the same appearance is shared.
  const reusedCaptures = options.recaptureAll
    ? []
    : findReusableCaptures(sandbox, request, outdatedVariants, captures);
  const variantsToCapture = outdatedVariants.filter(
    ({ id }) => !reusedCaptures.some(({ variantId }) => variantId === id),
  );
  const refusal = captureRefusal(sandbox, model, variantsToCapture.length, nowMs);
  if (refusal !== undefined) {
    const failedExport = { ...record, captureIds: [], endedAt: nowMs, failure: refusal };
    return { export: store.exports.insert(failedExport) };
  }
  const newCaptures =
    variantsToCapture.length === 0
      ? []
      : startCaptures(sandbox, model, variantsToCapture, options.captureMode, nowMs);
  const captureIds = [...reusedCaptures, ...newCaptures].map(({ id }) => id);
  const openExport = store.exports.insert({ ...record, captureIds });
  sandbox.openExports.add(openExport.id);
  return { export: openExport };
}

function findRunningExport({ store, openExports }: Sandbox, request: ExportRequest) {
  const requestedOptions = JSON.stringify(request.options);
  const variantIds = new Set(request.variants.map(({ id }) => id));
  for (const id of openExports) {
    const openExport = store.exports.get(id);
    const isSameRequest =
      openExport?.modelId === request.model.id &&
      openExport.variantIds.length === variantIds.size &&
      openExport.variantIds.every((variantId) => variantIds.has(variantId)) &&
      JSON.stringify(openExport.options) === requestedOptions;
    if (isSameRequest) return openExport;
  }
  return undefined;
}

function findReusableCaptures(
  sandbox: Sandbox,
  { model, options, nowMs }: ExportRequest,
  variants: readonly Variant[],
  captures: readonly CaptureRecord[],
): readonly CaptureRecord[] {
  return variants.flatMap((variant) => {
    const appearanceKey = hashAppearance(sandbox, model, variant);
    const runningCapture = captures.find(
      (capture) =>
        capture.variantId === variant.id &&
        isCaptureCurrent(capture, appearanceKey, options.captureMode) &&
        captureState(capture, nowMs) === 'capturing',
    );
    return runningCapture ?? [];
  });
}

/** Resumes exports and captures that a stop of the sandbox has interrupted. */
export function resumeProduction(sandbox: Sandbox): void {
  for (const record of sandbox.store.exports.all) {
    if (exportStatus(record) === 'CAPTURING') sandbox.openExports.add(record.id);
  }
  resumeCaptures(sandbox);
}

/** Ends the exports whose captures have ended, in the order in which their captures ended. */
export function finishDueExports(sandbox: Sandbox, nowMs: number): void {
  const { store, openExports } = sandbox;
  if (openExports.size === 0) return;
  const dueExports: {
    readonly open: ExportRecord;
    readonly captures: CaptureRecord[];
    at: number;
  }[] = [];
  for (const id of openExports) {
    const openExport = store.exports.get(id);
    if (!openExport) {
      openExports.delete(id);
      continue;
    }
    const captures = openExport.captureIds.flatMap((each) => store.captures.get(each) ?? []);
    if (captures.some((capture) => captureState(capture, nowMs) === 'capturing')) continue;
    const at = Math.max(openExport.createdAt, ...captures.map(captureEndedAt));
    dueExports.push({ open: openExport, captures, at });
  }
  dueExports.sort((a, b) => a.at - b.at || a.open.createdAt - b.open.createdAt);
  for (const { open, captures, at } of dueExports) {
    store.exports.update(open, { ...createResult(sandbox, open, captures, at), endedAt: at });
    openExports.delete(open.id);
  }
}

/** Creates the result of an export whose captures have ended: a file or a failure reason. */
function createResult(
  sandbox: Sandbox,
  { modelId, variantIds, options }: ExportRecord,
  captures: readonly CaptureRecord[],
  nowMs: number,
): { readonly fileId: string } | { readonly failure: string } {
  const model = sandbox.store.models.get(modelId);
  if (!model) return { failure: 'The model was deleted.' };
  const failedCaptures = captures.filter((capture) => captureState(capture, nowMs) === 'failed');
  if (failedCaptures.length === captures.length) {
    return { failure: failedCaptures[0]?.failure ?? 'The capture produced no views.' };
  }
  const variants = variantIds.flatMap((id) => findVariant(sandbox, model, id) ?? []);
  const previews = new Map(
    failedCaptures.flatMap(({ variantId, preview }) =>
      preview === undefined ? [] : [[variantId, preview] as const],
    ),
  );
  const notCaptured = new Set(failedCaptures.map(({ variantId }) => variantId));
  const input = { model, variants, options, previews, notCaptured, nowMs };
  return { fileId: createFile(sandbox, input).id };
}

export function exportStatus({ failure, fileId }: ExportRecord): ExportStatus {
  if (failure !== undefined) return 'FAILED';
  return fileId === undefined ? 'CAPTURING' : 'READY';
}

export function exportItem(
  sandbox: Sandbox,
  record: ExportRecord,
  origin: string,
  nowMs: number,
): z.input<typeof ProductionFileExport> {
  const { store } = sandbox;
  const file = store.productionFiles.get(record.fileId ?? '');
  const status = exportStatus(record);
  const capturing = record.captureIds.flatMap((id) => {
    const capture = store.captures.get(id);
    return capture && captureState(capture, nowMs) === 'capturing' ? [capture.variantId] : [];
  });
  return {
    id: record.id,
    status,
    variantIds: [...record.variantIds],
    capturingVariantIds: status === 'CAPTURING' ? capturing : [],
    productionFile: file ? toFileItem(sandbox, file, origin, nowMs) : null,
    reason: record.failure ?? null,
    createdAt: new Date(record.createdAt).toISOString(),
  };
}
