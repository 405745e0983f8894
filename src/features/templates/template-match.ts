// Node type that chooses the template of each asset by the first matching rule.
import { z } from 'zod';
import { defineNode } from '../../engine/node-type.ts';
import { templateName } from '../../language/fields.ts';
import { SelectModels, selectedModels } from '../models/selection/select-models.ts';
import { chooseTemplates, lookUpTemplates, TemplateRule } from './choose-templates.ts';

const Config = z
  .strictObject({
    rules: z
      .array(TemplateRule)
      .default([])
      .describe('Tried in order; the first matching rule wins.'),
    default: templateName.optional().describe('Template of assets that no rule matches.'),
    select: SelectModels.optional(),
  })
  .refine((config) => config.rules.length > 0 || config.default, {
    message: 'needs rules or a default template',
  });

export const templateMatch = defineNode({
  type: 'template_match',
  summary: 'Choose the template of each asset: the first matching rule wins.',
  docs: `Rules are tried in order; every condition of a rule must hold. An asset that no rule
matches gets \`default\`, and fails with NO_TEMPLATE if there is none. A template is named by its id
or its name; a name that two templates share is an error, never a guess.

With \`select\` the pipeline starts with existing models of the platform. Models selected by the status
READY or APPROVED continue at once; others need a \`model_ready\` node after this one.`,
  example: `name: choose-template
parameters:
  folder: { type: path, required: true }
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
records: models
nodes:
  - { id: take, type: connector_poll, config: { connector: models } }
  - { id: ready, type: model_ready, parentIds: [take] }
  - id: look
    type: template_match
    parentIds: [ready]
    config:
      rules:
        - { glob: "shoes/**", template: Hero Dark }
        - { when: 'asset.bytes > 1000000', template: Warm Floor }
      default: Studio White
`,
  config: Config,
  mode: 'call',
  stage: 'composition',
  root: selectedModels,
  needs: ['model'],
  gives: ['template'],
  profile: { batch: 250, startToClose: '1m', timeout: '1h' },
  recipe: ['rules', 'default'],
  route: () => 'reads the template list once a run; rules cost no request',
  lookUp: lookUpTemplates,
  cost: { requests: () => ({ listTemplates: 1 }) },
  run: chooseTemplates,
});
