// The registry of all operations of the platform by id. Each family of operations has its own file.
import { assetOperations } from './assets.ts';
import { colorwayOperations } from './colorways.ts';
import { decalOperations } from './decals.ts';
import { decorationOperations } from './decoration.ts';
import { identityOperations } from './identity.ts';
import { jobOperations } from './jobs.ts';
import { materialOperations } from './materials.ts';
import { modelOperations } from './models.ts';
import { pipelineOperations } from './pipelines.ts';
import { productionOperations } from './production.ts';
import { projectOperations } from './projects.ts';
import { propertyOperations } from './properties.ts';
import { propertyOptionOperations } from './property-options.ts';
import { propOperations } from './props.ts';
import { renderOperations } from './renders.ts';
import { templateOperations } from './templates.ts';
import { variantOperations } from './variants.ts';
import { webhookOperations } from './webhooks.ts';

export const operations = {
  ...identityOperations,
  ...modelOperations,
  ...variantOperations,
  ...projectOperations,
  ...renderOperations,
  ...templateOperations,
  ...jobOperations,
  ...propertyOperations,
  ...propertyOptionOperations,
  ...assetOperations,
  ...propOperations,
  ...decalOperations,
  ...materialOperations,
  ...webhookOperations,
  ...pipelineOperations,
  ...productionOperations,
  ...decorationOperations,
  ...colorwayOperations,
} as const;

export type Operations = typeof operations;
export type OperationId = keyof Operations;
