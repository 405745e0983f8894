// Delivers finished pictures to a connector, checked.
import { z } from 'zod';
import { deliver } from '../engine/deliver.ts';
import { connectorName, naming } from './fields.ts';
import { defineNode } from './node-type.ts';

const Config = z.strictObject({
  connector: connectorName,
  naming: naming(
    'Path of each file below the connector. Fields: key, name, output, index, ext, model, project, template, run, variant, bookmark, shot.',
  ).default('{{ key }}/{{ output }}.{{ ext }}'),
  verify: z
    .strictObject({
      minWidth: z.int().positive().optional().describe('pixels'),
      minHeight: z.int().positive().optional().describe('pixels'),
      notBlank: z.boolean().default(true).describe('A picture of one single colour is refused.'),
    })
    .default({ notBlank: true })
    .describe('What a picture must be, besides whole and of the format asked for.'),
});

export const exportNode = defineNode({
  type: 'export',
  summary: 'Deliver finished pictures to a connector, written aside, checked, then renamed.',
  docs: `Downloads every output of the asset's render, writes it beside its final name, checks that it is whole,
that it is a picture of the format that was asked for and not blank, and then renames it. Two outputs
that would take one name are told apart by their index. \`{{ variant }}\`, \`{{ bookmark }}\` and \`{{ shot }}\` are
known only where exactly one was asked for before: no output says which of several it shows. A watermarked preview is marked as such and
never passed off as finished.`,
  example: `name: deliver-pictures
parameters:
  folder: { type: path, required: true }
  out: { type: path, required: true }
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
  pictures: { type: local, path: "\${{ params.out }}" }
nodes:
  - { id: take, type: connector_poll, config: { connector: models } }
  - { id: ready, type: model_ready, parentIds: [take] }
  - { id: shots, type: render, parentIds: [ready] }
  - id: deliver
    type: export
    parentIds: [shots]
    config: { connector: pictures, naming: "{{ key }}.{{ ext }}" }
`,
  config: Config,
  mode: 'call',
  needs: ['finished render'],
  gives: [],
  profile: { batch: 50, startToClose: '20m', heartbeat: '20s', timeout: '6h' },
  later: ['productionFiles'],
  recipe: ['naming'],
  route: () => 'downloads by direct addresses, which cost no request',
  run: deliver,
});
