// Handlers of production files and views.

import type { Handlers } from '../context/handler.ts';
import { fail } from '../http/failure.ts';
import { appearanceKeyOf } from '../production/appearance-key.ts';
import { captureEndedAt, capturesOf, latestViews } from '../production/capture-state.ts';
import { captureRefusal, startCaptures } from '../production/captures.ts';
import { exportItem, exportStatus, requestExport } from '../production/exports.ts';
import { createFile, fileItem } from '../production/files.ts';
import { missingPreviews } from '../production/previews.ts';
import { chosenVariants, productionModel, variantsOrAll } from '../production/request.ts';
import { buildSheet } from '../production/sheets.ts';
import { previewHtml } from '../sheets/preview-html.ts';
import { listSheetWarnings } from '../sheets/sheet-format.ts';
import { variantsOf } from '../variants/variants.ts';
import { requireApiPlan } from '../workspace/rights.ts';

const dayMs = 24 * 3600 * 1000;

const none = new Set<string>();

export const production = {
  exportProductionFile: ({ params, body, origin, now }, sandbox) => {
    const model = productionModel(sandbox, params.modelId);
    const variants = chosenVariants(sandbox, model, body.variantIds);
    const result = requestExport(sandbox, { model, variants, options: body.options, now });
    if ('export' in result) {
      const status = exportStatus(result.export) === 'FAILED' ? 200 : 202;
      return { status, body: exportItem(sandbox, result.export, origin, now) };
    }
    const productionFile = fileItem(sandbox, result.file, origin, now);
    const { variantIds, createdAt } = productionFile;
    const ready = { id: null, status: 'READY', reason: null, capturingVariantIds: [] };
    return { status: 201, body: { ...ready, variantIds, productionFile, createdAt } };
  },

  getProductionFileExport: ({ params, origin, now }, sandbox) => {
    requireApiPlan(sandbox);
    const { exportId } = params;
    const record =
      sandbox.store.exports.get(exportId) ?? fail('NOT_FOUND', `There is no export ${exportId}.`);
    return exportItem(sandbox, record, origin, now);
  },

  listProductionFileExports: ({ params, origin, now }, sandbox) => {
    const { id } = productionModel(sandbox, params.modelId);
    const shown = sandbox.store.exports.all.filter((record) => {
      if (record.modelId !== id) return false;
      const status = exportStatus(record);
      if (status === 'FAILED') return now - (record.endedAt ?? 0) < dayMs;
      return status === 'CAPTURING';
    });
    return { exports: shown.reverse().map((each) => exportItem(sandbox, each, origin, now)) };
  },

  createProductionFile: async ({ params, body, origin, now }, sandbox) => {
    const requestedModel = productionModel(sandbox, params.modelId);
    const { variantIds, options } = body;
    const previews = await missingPreviews(
      sandbox,
      requestedModel,
      chosenVariants(sandbox, requestedModel, variantIds),
      now,
    );
    // The model or a variant may have been deleted while the previews were drawn.
    const model = productionModel(sandbox, params.modelId);
    const variants = chosenVariants(sandbox, model, variantIds);
    const input = { model, variants, options, previews, notCaptured: none, now };
    return fileItem(sandbox, createFile(sandbox, input), origin, now);
  },

  listProductionFiles: ({ params, origin, now }, sandbox) => {
    const { id } = productionModel(sandbox, params.modelId);
    const files = sandbox.store.productionFiles.all.filter(({ modelId }) => modelId === id);
    return { productionFiles: files.reverse().map((file) => fileItem(sandbox, file, origin, now)) };
  },

  previewProductionFile: async ({ params, body, origin, now }, sandbox) => {
    const model = productionModel(sandbox, params.modelId);
    const variants = chosenVariants(sandbox, model, body.variantIds);
    const previews = await missingPreviews(sandbox, model, variants, now);
    const { options } = body;
    const sheet = buildSheet(sandbox, {
      model,
      variants,
      options,
      previews,
      notCaptured: none,
      now,
    });
    const link = (picture: string) =>
      sandbox.links.sign('GET', origin, `/storage/download/production-pictures/-/${picture}`, now);
    return { html: await previewHtml(sheet, link), warnings: listSheetWarnings(sheet) };
  },

  getProductionViews: ({ params, now }, sandbox) => {
    const model = productionModel(sandbox, params.modelId);
    const captures = capturesOf(sandbox, model.id);
    return {
      productionViews: variantsOf(sandbox, model).flatMap((variant) => {
        const views = latestViews(captures, variant.id, now);
        if (!views) return [];
        return {
          variantId: variant.id,
          capturedAt: new Date(captureEndedAt(views)).toISOString(),
          captureMode: views.mode,
          stale: views.appearanceKey !== appearanceKeyOf(sandbox, model, variant),
        };
      }),
    };
  },

  requestProductionViews: ({ params, body, now }, sandbox) => {
    const model = productionModel(sandbox, params.modelId);
    const variants = variantsOrAll(sandbox, model, body.variantIds);
    const refusal = captureRefusal(sandbox, model, variants.length, now);
    if (refusal !== undefined) {
      return { status: 200, body: { jobId: null, dispatched: false, reason: refusal } };
    }
    const [first] = startCaptures(sandbox, model, variants, body.captureMode, now);
    const jobId = first?.jobId ?? null;
    return { status: 202, body: { jobId, dispatched: true, reason: null } };
  },
} satisfies Partial<Handlers>;
