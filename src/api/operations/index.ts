// The registry: every operation of the platform, by id.
import * as assets from './assets.ts';
import * as colorways from './colorways.ts';
import * as decals from './decals.ts';
import * as decoration from './decoration.ts';
import * as identity from './identity.ts';
import * as jobs from './jobs.ts';
import * as materials from './materials.ts';
import * as models from './models.ts';
import * as pipelines from './pipelines.ts';
import * as production from './production.ts';
import * as projects from './projects.ts';
import * as properties from './properties.ts';
import * as propertyOptions from './property-options.ts';
import * as props from './props.ts';
import * as renders from './renders.ts';
import * as templates from './templates.ts';
import * as variants from './variants.ts';
import * as webhooks from './webhooks.ts';

export const operations = {
  getMe: identity.getMe,
  getUsage: identity.getUsage,
  getOpenapi: identity.getOpenapi,
  listModels: models.listModels,
  createModels: models.createModels,
  confirmModel: models.confirmModel,
  importModel: models.importModel,
  checkModelStatus: models.checkModelStatus,
  downloadModel: models.downloadModel,
  getModel: models.getModel,
  updateModel: models.updateModel,
  deleteModel: models.deleteModel,
  listModelVariants: variants.listModelVariants,
  listDecalSlots: variants.listDecalSlots,
  addVariantsToProject: variants.addVariantsToProject,
  listProjects: projects.listProjects,
  createProjects: projects.createProjects,
  getProject: projects.getProject,
  deleteProject: projects.deleteProject,
  listRenders: renders.listRenders,
  createRenders: renders.createRenders,
  getRenderJob: renders.getRenderJob,
  getRenderBatch: renders.getRenderBatch,
  cancelRenderJob: renders.cancelRenderJob,
  retryRenderJob: renders.retryRenderJob,
  downloadRender: renders.downloadRender,
  listTemplates: templates.listTemplates,
  getTemplate: templates.getTemplate,
  createJob: jobs.createJob,
  confirmJobUploads: jobs.confirmJobUploads,
  getJob: jobs.getJob,
  listProperties: properties.listProperties,
  getProperty: properties.getProperty,
  createProperty: properties.createProperty,
  updateProperty: properties.updateProperty,
  archiveProperty: properties.archiveProperty,
  reorderProperties: properties.reorderProperties,
  addPropertyOption: propertyOptions.addPropertyOption,
  updatePropertyOption: propertyOptions.updatePropertyOption,
  mergePropertyOptions: propertyOptions.mergePropertyOptions,
  convertTagToPropertyOption: propertyOptions.convertTagToPropertyOption,
  getAssetProperties: assets.getAssetProperties,
  setAssetProperties: assets.setAssetProperties,
  searchAssets: assets.searchAssets,
  createProps: props.createProps,
  confirmProp: props.confirmProp,
  checkPropStatus: props.checkPropStatus,
  listProps: props.listProps,
  getProp: props.getProp,
  updateProp: props.updateProp,
  deleteProp: props.deleteProp,
  createDecals: decals.createDecals,
  confirmDecal: decals.confirmDecal,
  checkDecalStatus: decals.checkDecalStatus,
  listDecals: decals.listDecals,
  getDecal: decals.getDecal,
  updateDecal: decals.updateDecal,
  deleteDecal: decals.deleteDecal,
  planMaterialImport: materials.planMaterialImport,
  createMaterial: materials.createMaterial,
  confirmMaterial: materials.confirmMaterial,
  checkMaterialStatus: materials.checkMaterialStatus,
  listMaterials: materials.listMaterials,
  getMaterial: materials.getMaterial,
  updateMaterial: materials.updateMaterial,
  deleteMaterial: materials.deleteMaterial,
  updateWebhook: webhooks.updateWebhook,
  getWebhook: webhooks.getWebhook,
  getWebhookSecret: webhooks.getWebhookSecret,
  listWebhookEvents: webhooks.listWebhookEvents,
  createPipeline: pipelines.createPipeline,
  listPipelines: pipelines.listPipelines,
  // Before the path with an id, which would match it.
  listConnectors: pipelines.listConnectors,
  getPipeline: pipelines.getPipeline,
  updatePipeline: pipelines.updatePipeline,
  listPipelineJobs: pipelines.listPipelineJobs,
  exportProductionFile: production.exportProductionFile,
  getProductionFileExport: production.getProductionFileExport,
  listProductionFileExports: production.listProductionFileExports,
  createProductionFile: production.createProductionFile,
  listProductionFiles: production.listProductionFiles,
  previewProductionFile: production.previewProductionFile,
  getProductionViews: production.getProductionViews,
  requestProductionViews: production.requestProductionViews,
  setDecorationMethod: decoration.setDecorationMethod,
  setDecalInks: decoration.setDecalInks,
  setDecalPantoneCodes: decoration.setDecalPantoneCodes,
  createPantoneMaterial: decoration.createPantoneMaterial,
  setMaterialPantone: decoration.setMaterialPantone,
  createColorwayBatch: colorways.createColorwayBatch,
  getColorwayBatch: colorways.getColorwayBatch,
  retryColorwayJob: colorways.retryColorwayJob,
} as const;

export type Operations = typeof operations;
export type OperationId = keyof Operations;
