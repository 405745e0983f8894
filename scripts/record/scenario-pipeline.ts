// Pipeline files of recording scenarios.
import type { EventRules } from '../../src/plan/types.ts';
import type { Scenario } from './scenario.ts';

/** Render settings of every scenario, for one small still. */
const stillSettings =
  '{ imageCustomResolution: true, imageCustomWidth: 64, imageCustomHeight: 36, renderShots: false, renderVariants: false }';

function rootOf(event: EventRules['event']): string {
  return event === 'project.created' ? 'project_created' : 'model_ready';
}

/** Returns the pipeline file of a scenario. */
export function pipelineOf({
  nodes,
  connectors = '',
  deliver = '',
  after = '',
  maxRetries = 0,
  more = '',
  onEvent,
  root = onEvent
    ? `{ id: ready, type: ${rootOf(onEvent)}, config: { on: ${onEvent}, gather: 100ms } }`
    : '{ id: take, type: connector_poll, config: { connector: models, stableFor: 0s } }',
}: Scenario): string {
  const chain =
    nodes ??
    `${onEvent ? '' : '\n  - { id: ready, type: model_ready, parentIds: [take] }'}
  - { id: look, type: template_match, parentIds: [ready], config: { default: Studio White } }
  - { id: shots, type: render, parentIds: [look], config: { settings: SETTINGS } }`;
  return `name: recorded
maxRetries: ${maxRetries}
${more}parameters:
  folder: { type: path, required: true }
  out: { type: path, required: true }
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
  pictures: { type: local, path: "\${{ params.out }}" }
${connectors}nodes:
  - ${root}${chain.replaceAll('SETTINGS', stillSettings)}
  - { id: deliver, type: export, parentIds: [shots], config: { connector: pictures, naming: "{{ key }}.{{ ext }}"${deliver} } }
${after}`;
}
