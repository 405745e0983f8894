// Node type that writes property values of models.
import { z } from 'zod';
import { defineNode } from '../../engine/node-type.ts';
import { valueText } from '../../language/fields.ts';
import { SelectModels, selectedModels } from '../models/selection/model-selection.ts';
import { lookUpProperties, setProperties } from './write-properties.ts';

/** Limits of the platform. */
const maxProperties = 30;
const maxOptions = 200;

const Value = z.union([z.null(), z.number(), valueText, z.array(valueText).max(maxOptions)], {
  error: 'must be a text, a number, a list of options or nothing',
});

const Config = z.strictObject({
  values: z
    .record(z.string().min(1).max(200), Value)
    .refine((values) => Object.keys(values).length > 0, {
      message: 'must have at least one property',
    })
    .refine((values) => Object.keys(values).length <= maxProperties, {
      message: `must have at most ${maxProperties} properties`,
    })
    .describe(
      'Values by property (name, key or id): text, number, option labels, dates such as 2026-01-31 (a range with /). An empty value clears the property. Texts may contain CEL: `{{ asset.folder }}`.',
    ),
  mode: z
    .enum(['REPLACE', 'ADD'])
    .default('REPLACE')
    .describe('ADD keeps the options that a MULTI_SELECT has; other types are replaced.'),
  select: SelectModels.optional(),
});

export const setPropertiesNode = defineNode({
  type: 'set_properties',
  summary: 'Write property values of models, many models per request.',
  docs: `Models with the same values share a request. Properties are named by id, key or name, options by id or
label; they are looked up once per run. A name that does not exist or is ambiguous stops the run and is never guessed. A
computed value that the property does not accept fails only its asset.

A text property gets the text as typed: 0510210600, 1E5 and 1.10 stay as they are, with and without quotes. Only the
listed properties change. Writing the same values again changes nothing.`,
  example: `name: mark-season
parameters:
  folder: { type: path, required: true }
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
records: models
nodes:
  - { id: take, type: connector_poll, config: { connector: models } }
  - id: mark
    type: set_properties
    parentIds: [take]
    config:
      values:
        Season: Winter 2026
        Collection: "{{ asset.folder }}"
`,
  config: Config,
  mode: 'call',
  stage: 'composition',
  root: selectedModels,
  needs: ['model'],
  gives: [],
  profile: { batch: 100, startToClose: '5m', timeout: '2h' },
  recipe: ['values', 'mode'],
  route: (_config, batch) => `writes up to ${batch} models with the same values per request`,
  lookUp: lookUpProperties,
  cost: {
    requests: ({ assets, batch }) => ({
      listProperties: 1,
      setAssetProperties: Math.ceil(assets / batch),
    }),
  },
  run: setProperties,
});
