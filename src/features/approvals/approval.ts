// Node type that holds each asset until a person has approved or rejected its pictures.
import { z } from 'zod';
import { defineNode, draftOf } from '../../engine/node-type.ts';
import { connectorName } from '../../language/fields.ts';
import { maxPixelsBefore } from '../renders/requested-pixels.ts';
import { awaitDecisions } from './await-decisions.ts';
import { approvalPictures } from './show-pictures.ts';

export const approval = defineNode({
  type: 'approval',
  summary: 'Hold each asset until a person has approved or rejected its pictures.',
  docs: `The pictures of each asset are copied to the \`review\` connector as
\`PIPELINE/NODE/KEY/OUTPUT.EXT\`, and the asset waits. Nothing is delivered until a person decides: with \`renderline approve RUN\`, or on the page of \`renderline ui\`. What is approved
continues at once, also while others wait. A rejected asset fails with APPROVAL_REJECTED and the reason; a rerun renders
it again. A decided picture leaves the \`review\` connector. \`timeout\` is how long an asset may wait (default 7d); then it
fails with APPROVAL_TIMEOUT.

A person decides about pictures once: an asset whose outputs were approved before does not wait again.
The record of an asset and the report name who decided, when and why.

The step-by-step guide is [Approve pictures before they are delivered](../how-to/approve-pictures.md).`,
  example: `name: approved-pictures
parameters:
  folder: { type: path, required: true }
  out: { type: path, required: true }
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
  pictures: { type: local, path: "\${{ params.out }}" }
  review: { type: local, path: "\${{ params.out }}-review" }
nodes:
  - { id: take, type: connector_poll, config: { connector: models } }
  - { id: ready, type: model_ready, parentIds: [take] }
  - { id: shots, type: render, parentIds: [ready] }
  - { id: look, type: approval, parentIds: [shots], config: { review: review }, timeout: 3d }
  - id: deliver
    type: export
    parentIds: [look]
    config: { connector: pictures, naming: "{{ key }}.{{ ext }}" }
`,
  config: z.strictObject({
    review: connectorName.describe(
      'Name of a connector of this file: pictures are copied there for review. No export may deliver to this connector.',
    ),
  }),
  mode: 'wait',
  waitsFor: 'a person to approve',
  asksPeople: true,
  needs: ['finished render'],
  gives: [],
  profile: { batch: 250, startToClose: '5m', timeout: '7d' },
  recipe: [],
  route: () => 'waits for `renderline approve`; sends no requests',
  steps: (config, scope) => [
    draftOf('pictures', approvalPictures, { ...config, maxPixels: maxPixelsBefore(scope) }),
    scope.own(config),
  ],
  run: awaitDecisions,
});
