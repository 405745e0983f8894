// The registry: one array. Docs, schema, checker and worker are derived from it.
import { colorwaySteps } from './colorway-steps.ts';
import { connectorPoll } from './connector-poll.ts';
import { exportNode } from './export.ts';
import { libraryComplete, libraryImport } from './library-import.ts';
import { modelReady } from './model-ready.ts';
import type { NodeType, StepType } from './node-type.ts';
import { notify } from './notify.ts';
import { productionSteps } from './production-steps.ts';
import { projectCreated } from './project-created.ts';
import { projectVariants } from './project-variants.ts';
import { render } from './render.ts';
import { renderComplete } from './render-complete.ts';
import { setPropertiesNode } from './set-properties.ts';
import { templateMatch } from './template-match.ts';
import { variant } from './variant.ts';

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
