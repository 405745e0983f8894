// The registry of features, one line each. Docs, schema, checker and worker are derived from this list.
import type { Feature } from '../engine/feature.ts';
import { hasOwnStep, type NodeType, type StepType } from '../engine/node-type.ts';
import { approvals } from './approvals/index.ts';
import { decoration } from './decoration/index.ts';
import { delivery } from './delivery/index.ts';
import { gates } from './gates/index.ts';
import { library } from './library/index.ts';
import { modelRules } from './model-rules/index.ts';
import { models } from './models/index.ts';
import { notices } from './notices/index.ts';
import { pantone } from './pantone/index.ts';
import { production } from './production/index.ts';
import { projects } from './projects/index.ts';
import { renders } from './renders/index.ts';
import { properties } from './set-properties/index.ts';
import { templates } from './templates/index.ts';
import { variants } from './variants/index.ts';

/** All features, in the order of the reference pages. */
export const features: readonly Feature[] = [
  models,
  modelRules,
  templates,
  variants,
  projects,
  renders,
  decoration,
  delivery,
  approvals,
  gates,
  properties,
  library,
  pantone,
  notices,
  production,
];

const allNodes = features.flatMap(({ nodes }) => nodes);
const allSteps = features.flatMap(({ nodes, steps = [] }): StepType[] => [
  ...nodes.filter(hasOwnStep),
  ...steps,
]);

export const nodeTypes: readonly NodeType[] = allNodes;

/** All activities that a plan can reference: those of node types with their own step, and other steps of features. */
export const stepTypes: readonly StepType[] = allSteps;

export function findNodeType(type: string): NodeType | undefined {
  return allNodes.find((nodeType) => nodeType.type === type);
}

export function findStepType(activity: string): StepType | undefined {
  return allSteps.find(({ type }) => type === activity);
}

/** Adds the node types of a project's plugin (decision 052). Must be called before anything is compiled or run. */
export function addNodeTypes(nodes: readonly NodeType[]): void {
  allNodes.push(...nodes);
  allSteps.push(...nodes.filter(hasOwnStep));
}
