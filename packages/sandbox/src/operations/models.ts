import { failJobsOfModel } from '../colorways/deletion.ts';
import { requireModel } from '../context/find-resource.ts';
import type { Handlers } from '../context/handler.ts';
import type { Sandbox } from '../context/sandbox.ts';
import { fail, refuseInput } from '../http/failure.ts';
import { findAll } from '../library/item-list.ts';
import { confirmUpload, createModels } from '../models/create-model.ts';
import { importFrom } from '../models/import.ts';
import { deleteProductionFiles } from '../production/files.ts';
import { compileModelFilter } from '../properties/search.ts';
import { createValueFormatter, deleteAssetValues, findValues } from '../properties/values.ts';
import type { ModelRecord } from '../state/records.ts';
import { listNewestFirst } from '../state/table.ts';
import {
  findProcessedAtMs,
  formatKey,
  hasFormat,
  isModelReady,
  modelFilePathOf,
  modelStatusOf,
  toModelDetail,
  toModelListItem,
  toModelStatusItem,
  usdzKeyOf,
} from '../status/models.ts';
import { removeLogosOf, variantsOf } from '../variants/variants.ts';
import { requireApiPlan } from '../workspace/access.ts';
import { assertWithinLimit, assertWithinStorage } from '../workspace/plan-limits.ts';

/** Records in the statistics that a response shows this model as ready. */
function recordReadySeen({ stats }: Sandbox, model: ModelRecord, nowMs: number): void {
  const readyAt = findProcessedAtMs(model);
  if (readyAt !== undefined && isModelReady(modelStatusOf(model, nowMs))) {
    stats.seenReady('model', model.id, readyAt, nowMs);
  }
}

export const models = {
  listModels: ({ query, nowMs }, sandbox) => {
    const { store } = sandbox;
    const { limit, offset, status, name, properties } = query;
    if (properties !== undefined) requireApiPlan(sandbox);
    const matches = properties === undefined ? undefined : compileModelFilter(store, properties);
    const part = name?.toLowerCase();
    const matchingModels =
      status === undefined && part === undefined && !matches
        ? store.models.all
        : store.models.all.filter(
            (model) =>
              (status === undefined || modelStatusOf(model, nowMs) === status) &&
              (part === undefined || model.name.toLowerCase().includes(part)) &&
              (!matches || matches(findValues(store, 'MODEL', model.id))),
          );
    const page = listNewestFirst(matchingModels, limit, offset);
    for (const model of page) recordReadySeen(sandbox, model, nowMs);
    const show = matches && createValueFormatter(store);
    return {
      models: page.map((model) => ({
        ...toModelListItem(model, nowMs),
        ...(show ? { properties: show(findValues(store, 'MODEL', model.id)) } : {}),
      })),
      total: matchingModels.length,
      limit,
      offset,
    };
  },

  createModels: ({ body, origin, nowMs }, sandbox) => {
    assertWithinLimit(sandbox, 'models', body.models.length);
    assertWithinStorage(sandbox, ...body.models.map(({ fileSize = 0 }) => fileSize));
    const { models: createdModels, errors } = createModels(sandbox, body.models, nowMs);
    return {
      models: createdModels.map((model) => ({
        modelId: model.id,
        name: model.name,
        uploadUrl: sandbox.links.sign('PUT', origin, model.uploadKey, nowMs),
        uploadKey: model.uploadKey,
      })),
      ...(errors.length > 0 ? { errors } : {}),
    };
  },

  confirmModel: ({ params, body, origin, nowMs }, sandbox) => {
    const model = requireModel(sandbox, params.modelId);
    if (body.fileType !== model.fileType) {
      refuseInput(
        `fileType: model ${model.id} was created as ${model.fileType}, not ${body.fileType}`,
      );
    }
    confirmUpload(sandbox, model, nowMs);
    recordReadySeen(sandbox, model, nowMs);
    return {
      modelId: model.id,
      name: model.name,
      status: modelStatusOf(model, nowMs),
      filePath: `${origin}${modelFilePathOf(model)}`,
    };
  },

  importModel: async ({ body }, sandbox) => {
    const model = await importFrom(sandbox, body);
    return { modelId: model.id, name: model.name, fileType: model.fileType, status: 'UPLOADING' };
  },

  checkModelStatus: ({ body, nowMs }, sandbox) => {
    const { found, notFound } = findAll(body.modelIds, (id) => sandbox.store.models.get(id));
    for (const model of found) recordReadySeen(sandbox, model, nowMs);
    const items = found.map((model) => toModelStatusItem(model, nowMs));
    const allReady = notFound.length === 0 && items.every(({ ready }) => ready);
    return { models: items, allReady, notFound };
  },

  downloadModel: ({ params, query, origin, nowMs }, sandbox) => {
    const model = requireModel(sandbox, params.modelId);
    if (!hasFormat(model, query.format, nowMs)) {
      fail('NO_FILE', `Model ${model.id} (${model.name}) has no ${query.format} file.`);
    }
    const key = formatKey(model, query.format);
    return { location: sandbox.links.sign('GET', origin, key, nowMs) };
  },

  getModel: ({ params, origin, nowMs }, sandbox) => {
    const model = requireModel(sandbox, params.modelId);
    recordReadySeen(sandbox, model, nowMs);
    return toModelDetail(model, origin, nowMs);
  },

  updateModel: ({ params, body, origin, nowMs }, sandbox) => {
    const model = requireModel(sandbox, params.modelId);
    sandbox.store.models.update(model, { name: body.name });
    return toModelDetail(model, origin, nowMs);
  },

  deleteModel: async ({ params, nowMs }, sandbox) => {
    const { store, files } = sandbox;
    const model = requireModel(sandbox, params.modelId);
    for (const { id } of variantsOf(sandbox, model)) deleteAssetValues(sandbox, 'VARIANT', id);
    deleteAssetValues(sandbox, 'MODEL', model.id);
    store.models.remove(model.id);
    removeLogosOf(sandbox, model);
    failJobsOfModel(sandbox, model.id, nowMs);
    await deleteProductionFiles(sandbox, model);
    for (const project of store.projects.all) {
      if (!project.modelIds.includes(model.id)) continue;
      store.projects.update(project, {
        modelIds: project.modelIds.filter((id) => id !== model.id),
      });
    }
    await files.remove(model.uploadKey);
    await files.remove(usdzKeyOf(model));
    return { deleted: true, modelId: model.id };
  },
} satisfies Partial<Handlers>;
