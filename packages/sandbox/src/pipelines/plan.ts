// Parses the config of a pipeline's nodes. `config` is a free object: unknown and invalid fields are ignored.

import { RenderSettings } from 'renderline/api/operations/renders';
import { findGlobProblem } from 'renderline/language/read-glob';
import { z } from 'zod';
import type { PipelineNode } from '../state/pipeline-records.ts';

const Config = z.object({
  connector: z.string().optional().catch(undefined),
  pattern: z
    .string()
    .refine((glob) => findGlobProblem(glob) === null)
    .optional()
    .catch(undefined),
  templateId: z.string().optional().catch(undefined),
  settings: RenderSettings.optional().catch(undefined),
});

export type PipelinePlan = ReturnType<typeof planOf>;

/** Summarizes the enabled nodes. Without `poll`, no files are imported. Without `settings`, nothing is rendered. */
export function planOf(nodes: readonly PipelineNode[]) {
  const enabled = new Map(
    nodes.filter((node) => node.enabled).map(({ type, config }) => [type, Config.parse(config)]),
  );
  const poll = enabled.get('connector_poll');
  const render = enabled.get('render');
  const match = enabled.get('template_match');
  const project = enabled.get('project_created');
  const templateId = match?.templateId ?? project?.templateId ?? render?.templateId;
  return {
    poll,
    createsProject: [match, project, render].some((node) => node !== undefined),
    templateId,
    settings: render && (render.settings ?? {}),
  };
}
