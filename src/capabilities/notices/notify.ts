// Node type that notifies an external receiver about the assets that have reached it.
import { z } from 'zod';
import { isReceiver, receiverFields, receiverForm } from '../../language/fields.ts';
import { defineNode } from '../../machinery/node-type.ts';
import { withoutUndefined } from '../../plan/without-undefined.ts';
import { notifyAssets } from './notify-assets.ts';

const Config = z
  .strictObject({
    ...receiverFields,
    onFailure: z
      .enum(['fail', 'ignore'])
      .default('fail')
      .describe(
        'What becomes of assets whose notice is never taken: they fail, so that the next run tells of them, or go on with a warning.',
      ),
  })
  .refine(isReceiver, { message: receiverForm });

export const notify = defineNode({
  type: 'notify',
  summary: 'Tell a receiver of yours, signed, which assets have come this far.',
  docs: `Assets that come here together share one POST, signed as Standard Webhooks has it. It tells of each asset its
key, its ids on the platform, its outputs, the files delivered so far and warnings (docs/webhooks.md shows the body). Assets that failed
before come to no node: \`notify:\` of the file tells of those when the run ends.

Any 2xx is taken. 408, 429, errors of the server and no answer at all are tried again with growing pauses of up to 15 minutes, for as
long as \`timeout\` says (default 6h), under the same \`webhook-id\`. Other answers are final; redirects are not followed. Meanwhile all
other assets go on, and the run takes up new ones. \`renderline show\` tells what became of each notice.

\`format: slack\` or \`format: teams\` with \`urlFrom\` posts a message to a channel in place of that, by the address of its incoming webhook (Slack)
or of its workflow (Teams), which is a secret: the file names the variable of the worker that holds it. Nothing is signed then.

It makes nothing, so an asset that \`when:\` passes over goes on as if the node were not there, and adding one redoes nothing. An
asset is told of once, unless its source or what the platform made of it has changed.`,
  example: `name: tell-the-shop
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
  - { id: deliver, type: export, parentIds: [shots], config: { connector: pictures } }
  - id: tell
    type: notify
    parentIds: [deliver]
    when: 'asset.folder.startsWith("shop")'
    config: { url: "https://hooks.example.com/pictures", secretFrom: RENDERLINE_SECRET_SHOP }
`,
  config: Config,
  mode: 'call',
  needs: [],
  gives: [],
  aside: true,
  profile: { batch: 100, startToClose: '1m', timeout: '6h' },
  recipe: [],
  route: (_config, batch) =>
    `one signed POST for up to ${batch} assets, to the receiver alone: no API request`,
  steps: ({ onFailure, ...receiver }, scope) => [
    {
      ...scope.own({ ...withoutUndefined(receiver), onFailure }),
      ...(onFailure === 'ignore' ? { onFailure } : {}),
    },
  ],
  run: notifyAssets,
});
