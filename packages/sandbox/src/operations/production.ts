import type { Handlers } from '../context/handler.ts';
import { fail } from '../http/failure.ts';
import { captureEndedAt, capturesOf, findLatestViews } from '../production/capture-state.ts';
import { captureRefusal, startCaptures } from '../production/captures.ts';
import {
  getChosenVariants,
  getProductionModel,
  getVariantsOrAll,
} from '../production/chosen-variants.ts';
import { exportItem, exportStatus, requestExport } from '../production/exports.ts';
import { createFile, toFileItem } from '../production/files.ts';
import { hashAppearance } from '../production/hash-appearance.ts';
import { buildSheet } from '../production/sheets.ts';
import { drawMissingPreviews } from '../production/variant-picture.ts';
import { previewHtml } from '../sheets/preview-html.ts';
import { listSheetWarnings } from '../sheets/sheet-format.ts';
import { variantsOf } from '../variants/variants.ts';
import { requireApiPlan } from '../workspace/access.ts';

const dayMs = 24 * 3600 * 1000;

const none = new Set<string>();

export const production = {
  exportProductionFile: ({ params, body, origin, nowMs }, sandbox) => {
    const model = getProductionModel(sandbox, params.modelId);
    const variants = getChosenVariants(sandbox, model, body.variantIds);
    const result = requestExport(sandbox, { model, variants, options: body.options, nowMs });
    if ('export' in result) {
      const status = exportStatus(result.export) === 'FAILED' ? 200 : 202;
      return { status, body: exportItem(sandbox, result.export, origin, nowMs) };
    }
    const productionFile = toFileItem(sandbox, result.file, origin, nowMs);
    const { variantIds, createdAt } = productionFile;
    const readyFields = { id: null, status: 'READY', reason: null, capturingVariantIds: [] };
    return { status: 201, body: { ...readyFields, variantIds, productionFile, createdAt } };
  },

  getProductionFileExport: ({ params, origin, nowMs }, sandbox) => {
    requireApiPlan(sandbox);
    const { exportId } = params;
    const record =
      sandbox.store.exports.get(exportId) ??
      fail('NOT_FOUND', `The export ${exportId} does not exist.`);
    return exportItem(sandbox, record, origin, nowMs);
  },

  listProductionFileExports: ({ params, origin, nowMs }, sandbox) => {
    const { id } = getProductionModel(sandbox, params.modelId);
    const records = sandbox.store.exports.all.filter((record) => {
      if (record.modelId !== id) return false;
      const status = exportStatus(record);
      if (status === 'FAILED') return nowMs - (record.endedAt ?? 0) < dayMs;
      return status === 'CAPTURING';
    });
    return {
      exports: records.reverse().map((record) => exportItem(sandbox, record, origin, nowMs)),
    };
  },

  createProductionFile: async ({ params, body, origin, nowMs }, sandbox) => {
    const requestedModel = getProductionModel(sandbox, params.modelId);
    const { variantIds, options } = body;
    const requested = getChosenVariants(sandbox, requestedModel, variantIds);
    const previews = await drawMissingPreviews(sandbox, requestedModel, requested, nowMs);
    // The model is read again, because the model or a variant may have been deleted while the previews were drawn.
    const model = getProductionModel(sandbox, params.modelId);
    const variants = getChosenVariants(sandbox, model, variantIds);
    const input = { model, variants, options, previews, notCaptured: none, nowMs };
    return toFileItem(sandbox, createFile(sandbox, input), origin, nowMs);
  },

  listProductionFiles: ({ params, origin, nowMs }, sandbox) => {
    const { id } = getProductionModel(sandbox, params.modelId);
    const files = sandbox.store.productionFiles.all.filter(({ modelId }) => modelId === id);
    return {
      productionFiles: files.reverse().map((file) => toFileItem(sandbox, file, origin, nowMs)),
    };
  },

  previewProductionFile: async ({ params, body, origin, nowMs }, sandbox) => {
    const model = getProductionModel(sandbox, params.modelId);
    const variants = getChosenVariants(sandbox, model, body.variantIds);
    const previews = await drawMissingPreviews(sandbox, model, variants, nowMs);
    const { options } = body;
    const input = { model, variants, options, previews, notCaptured: none, nowMs };
    const sheet = buildSheet(sandbox, input);
    const link = (picture: string) =>
      sandbox.links.sign('GET', origin, `production-pictures/-/${picture}`, nowMs);
    return { html: await previewHtml(sheet, link), warnings: listSheetWarnings(sheet) };
  },

  getProductionViews: ({ params, nowMs }, sandbox) => {
    const model = getProductionModel(sandbox, params.modelId);
    const captures = capturesOf(sandbox, model.id);
    return {
      productionViews: variantsOf(sandbox, model).flatMap((variant) => {
        const views = findLatestViews(captures, variant.id, nowMs);
        if (!views) return [];
        return {
          variantId: variant.id,
          capturedAt: new Date(captureEndedAt(views)).toISOString(),
          captureMode: views.mode,
          stale: views.appearanceKey !== hashAppearance(sandbox, model, variant),
        };
      }),
    };
  },

  requestProductionViews: ({ params, body, nowMs }, sandbox) => {
    const model = getProductionModel(sandbox, params.modelId);
    const variants = getVariantsOrAll(sandbox, model, body.variantIds);
    const refusal = captureRefusal(sandbox, model, variants.length, nowMs);
    if (refusal !== undefined) {
      return { status: 200, body: { jobId: null, dispatched: false, reason: refusal } };
    }
    const [first] = startCaptures(sandbox, model, variants, body.captureMode, nowMs);
    const jobId = first?.jobId ?? null;
    return { status: 202, body: { jobId, dispatched: true, reason: null } };
  },
} satisfies Partial<Handlers>;
