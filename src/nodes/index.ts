// The registry: one array. Docs, schema, checker and worker are derived from it.
import { connectorPoll } from './connector-poll.ts';
import { exportNode } from './export.ts';
import { modelReady } from './model-ready.ts';
import type { NodeType } from './node-type.ts';
import { projectCreated } from './project-created.ts';
import { render } from './render.ts';
import { renderComplete } from './render-complete.ts';
import { templateMatch } from './template-match.ts';

export const nodeTypes: readonly NodeType[] = [
  connectorPoll,
  modelReady,
  templateMatch,
  projectCreated,
  render,
  renderComplete,
  exportNode,
];

/** Types of the platform's own list that this version does not run yet; the checker names them. */
export const laterNodeTypes: readonly string[] = ['variant'];
