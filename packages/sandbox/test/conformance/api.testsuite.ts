// The platform's reference as tables, in the same order. Rows follow the reference alone, whatever the sandbox does.
import type { Table } from './_rows.ts';
import { renderSettings } from './tables/2-5-render-settings.ts';
import { confirmStates, modelStates, renderStates } from './tables/3-states.ts';
import { identity } from './tables/4-1-identity.ts';
import { modelImport } from './tables/4-2-import.ts';
import { modelCreate } from './tables/4-2-model-create.ts';
import { modelList } from './tables/4-2-model-list.ts';
import { modelStatus } from './tables/4-2-model-status.ts';
import { modelUpload } from './tables/4-2-model-upload.ts';
import { oneModel } from './tables/4-2-one-model.ts';
import { projectCreate, projectList } from './tables/4-3-projects.ts';
import { renderJobs } from './tables/4-4-render-jobs.ts';
import { renderList } from './tables/4-4-render-list.ts';
import { renderStart } from './tables/4-4-render-start.ts';
import { templates } from './tables/4-5-templates.ts';
import { webhooks } from './tables/4-6-webhooks.ts';
import { jobCreate, jobRun } from './tables/4-7-jobs.ts';
import { colorways } from './tables/4-8-colorways.ts';
import { pipelines } from './tables/4-8-pipelines.ts';
import { decals } from './tables/4-9-decals.ts';
import { materials } from './tables/4-9-materials.ts';
import { planImport } from './tables/4-9-plan-import.ts';
import { props } from './tables/4-9-props.ts';
import { libraryManagement } from './tables/4-10-library-management.ts';
import { propertyDefinitions } from './tables/4-11-definitions.ts';
import { propertyOptions } from './tables/4-11-options.ts';
import { assetSearch } from './tables/4-11-search.ts';
import { propertyValues } from './tables/4-11-values.ts';
import { mcpTools } from './tables/4-12-tools.ts';
import { productionExports, productionFiles, productionRequests } from './tables/4-13-exports.ts';
import { decalInks, pantoneMaterials } from './tables/4-13-inks.ts';
import { decorationMethods, productionViews } from './tables/4-13-views.ts';
import { authentication } from './tables/5-authentication.ts';
import { errors } from './tables/7-errors.ts';
import { idempotency, rateLimit } from './tables/8-limits.ts';
import { versioning } from './tables/9-versioning.ts';

export const tables: readonly Table[] = [
  renderSettings,
  modelStates,
  confirmStates,
  renderStates,
  identity,
  modelList,
  modelCreate,
  modelUpload,
  modelImport,
  modelStatus,
  oneModel,
  projectCreate,
  projectList,
  renderStart,
  renderJobs,
  renderList,
  templates,
  webhooks,
  jobCreate,
  jobRun,
  pipelines,
  colorways,
  props,
  decals,
  materials,
  planImport,
  libraryManagement,
  propertyDefinitions,
  propertyOptions,
  propertyValues,
  assetSearch,
  mcpTools,
  productionRequests,
  productionExports,
  productionFiles,
  productionViews,
  decorationMethods,
  decalInks,
  pantoneMaterials,
  authentication,
  errors,
  rateLimit,
  idempotency,
  versioning,
];
