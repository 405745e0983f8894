import { z } from 'zod';
import { AssetType, maxOptions } from '../../api/operations/properties.ts';
import { defineNode } from '../../engine/node-type.ts';
import { valueText } from '../../language/fields.ts';
import { takenModelsExample } from '../example.ts';
import { SelectModels, selectedModels } from '../models/selection/select-models.ts';
import { assetKinds } from './asset-kinds.ts';
import { countPropertyRequests } from './property-requests.ts';
import { lookUpProperties, setProperties } from './write-properties.ts';

/** Limits of the platform for one request. */
const maxProperties = 30;
const maxNames = 100;

const Value = z.union([z.null(), z.number(), valueText, z.array(valueText).max(maxOptions)], {
  error: 'must be text, a number, a list of options or null',
});

const Config = z
  .strictObject({
    assetType: AssetType.default('MODEL').describe(
      'Target of the values: the model, chosen variants, project, template or finished outputs (RENDER) of the asset; the MATERIAL, PROP or DECAL that library_import created from it; with `names`, any of the ten types.',
    ),
    names: z
      .array(valueText.min(1))
      .min(1)
      .max(maxNames)
      .optional()
      .describe(
        'Names or ids of assets of `assetType` on the platform, which get the values instead. Texts may contain CEL: `{{ row.backplate }}`.',
      ),
    values: z
      .record(z.string().min(1).max(200), Value)
      .refine((values) => Object.keys(values).length > 0, 'must have at least one property')
      .refine((values) => Object.keys(values).length <= maxProperties, {
        message: `must have at most ${maxProperties} properties`,
      })
      .describe(
        'Values by property (name, key or id): text, number, option labels, or a date such as 2026-01-31 (a range of dates has a /). An empty value clears the property; empty options of a list are ignored. Text may contain CEL: `{{ asset.folder }}`.',
      ),
    mode: z
      .enum(['REPLACE', 'ADD'])
      .default('REPLACE')
      .describe(
        'ADD keeps the options that a MULTI_SELECT property already has, unless the new value is `null`; values of other types are replaced.',
      ),
    select: SelectModels.optional(),
  })
  .superRefine(({ assetType, names }, context) => {
    if (names !== undefined || assetKinds[assetType] !== undefined) return;
    const message = `${assetType} needs \`names\`: no pipeline node creates or chooses a ${assetType}`;
    context.addIssue({ code: 'custom', path: ['assetType'], message });
  });

export const setPropertiesNode = defineNode({
  type: 'set_properties',
  summary:
    'Write property values of models, variants, projects, renders and the other asset types.',
  docs: `\`assetType\` sets the target of the values: by default the model of the asset. With \`names\`, the values go to the
platform's assets that the file or a row names. A BACKPLATE or a STYLE belongs to no asset of a run, so it must be named.

Assets with the same values share a request. Properties are named by id, key or name, options by id or
label; they are looked up once per run. A name that does not exist or is ambiguous stops the run. A
computed value or name that is not accepted fails only its asset. A resource that several assets share, such as a template or the model of
two projects, gets its values from this node once per run: an asset with other values fails as PROPERTIES_CONFLICT.

A text property gets the text as typed: 0510210600, 1E5 and 1.10 stay as they are, with and without quotes. Only the
listed properties change. A change of values writes them again on all assets, and renders nothing. Values are written again only
when they change, or when the asset gets another resource, such as a new model. If the assets of a request differ, a list shows
which of them already have their values.`,
  example: `${takenModelsExample('mark-season')}
  - id: mark
    type: set_properties
    parentIds: [take]
    config:
      values:
        Season: Winter 2026
        Collection: "{{ asset.folder }}"
  - { id: ready, type: model_ready, parentIds: [mark] }
  - { id: shots, type: render, parentIds: [ready] }
  - id: label
    type: set_properties
    parentIds: [shots]
    config:
      assetType: RENDER
      values: { Season: Winter 2026 }
`,
  config: Config,
  mode: 'call',
  describes: true,
  root: selectedModels,
  needs: ['model'],
  needsFor: ({ assetType, names }) => {
    const kind = names === undefined ? assetKinds[assetType] : undefined;
    return kind === undefined ? [] : [kind.needs];
  },
  gives: [],
  profile: { batch: 100, startToClose: '5m', timeout: '2h' },
  recipe: ['assetType', 'values', 'mode'],
  optionalRecipe: ['names'],
  route: ({ assetType }, batch) =>
    `writes up to ${batch} of type ${assetType} with the same values per request`,
  lookUp: lookUpProperties,
  cost: { requests: countPropertyRequests },
  run: setProperties,
});
