// The registry: one array. Docs, schema, checker and worker are derived from it.

import type { NodeType, StepType } from '../machinery/node-type.ts';
import { exportNode } from './delivery/export.ts';
import { libraryComplete, libraryImport } from './library/library-import.ts';
import { connectorPoll } from './models/connector-poll.ts';
import { modelReady } from './models/model-ready.ts';
import { notify } from './notices/notify.ts';
import { productionSteps } from './production/production-steps.ts';
import { projectCreated } from './projects/project-created.ts';
import { setPropertiesNode } from './properties/set-properties.ts';
import { render } from './renders/render.ts';
import { renderComplete } from './renders/render-complete.ts';
import { templateMatch } from './templates/template-match.ts';
import { colorwaySteps } from './variants/colorway-steps.ts';
import { projectVariants } from './variants/project-variants.ts';
import { variant } from './variants/variant.ts';

export const nodeTypes: readonly NodeType[] = [
  connectorPoll,
  modelReady,
  templateMatch,
  variant,
  projectCreated,
  render,
  renderComplete,
  exportNode,
  setPropertiesNode,
  libraryImport,
  notify,
];

/** Every activity that a plan can name: the node types, and the parts that some of them become. */
export const stepTypes: readonly StepType[] = [
  ...nodeTypes,
  ...colorwaySteps,
  projectVariants,
  ...productionSteps,
  libraryComplete,
];
