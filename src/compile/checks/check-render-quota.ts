import { findStepType } from '../../features/index.ts';
import type { NodePaths } from '../graph/node-paths.ts';
import type { NodeDraft } from '../node-draft.ts';
import type { Pipeline } from '../pipeline.ts';
import { checkTimeZone } from '../schedule/check-time-zone.ts';
import type { GraphScope } from './check-graph.ts';

/** Reports an unknown time zone, and a quota that counts nothing. @param paths null if the graph is invalid */
export function checkRenderQuota(
  { limits: { renders } }: Pick<Pipeline, 'limits'>,
  { document, graph }: GraphScope,
  paths: NodePaths | null,
): void {
  if (typeof renders !== 'object') return;
  const path = ['limits', 'renders', 'timezone'];
  checkTimeZone(renders.timezone, path, document);
  if (paths === null || graph.nodes.some((node) => canRender(node, paths))) return;
  const message = 'the quota counts nothing: no node of the pipeline starts renders or captures';
  document.warningAtKey('RL423', ['limits', 'renders'], message);
}

/** True for a node that starts renders or captures. A node with errors counts too, because it may start some. */
function canRender(node: NodeDraft, paths: NodePaths): boolean {
  const { type, config } = node;
  if (type === null || config === null) return true;
  const drafts = paths.draftsOf(node);
  return drafts.some(({ activity }) => findStepType(activity)?.cost?.draws !== undefined);
}
