// Node type that notifies an external receiver about the assets that have reached it.
import { z } from 'zod';
import { defineNode } from '../../engine/node-type.ts';
import { isReceiver, receiverFields, receiverForm } from '../../language/fields.ts';
import { withoutUndefined } from '../../plan/helpers/without-undefined.ts';
import { notifyAssets } from './notify-assets.ts';

const Config = z
  .strictObject({
    ...receiverFields,
    onFailure: z
      .enum(['fail', 'ignore'])
      .default('fail')
      .describe(
        'What happens to assets whose notice is never accepted: `fail` fails them, so that the next run sends the notice again; `ignore` continues with a warning.',
      ),
  })
  .refine(isReceiver, { message: receiverForm });

export const notify = defineNode({
  type: 'notify',
  summary: 'Send a signed notice to your receiver about the assets that have reached this node.',
  docs: `Assets that arrive together share one POST, signed according to Standard Webhooks. The notice has, for each asset, its
key, its ids on the platform, its outputs, the files delivered so far and warnings (docs/webhooks.md shows the body). Assets that
failed before do not reach the node: \`notify:\` of the file reports those when the run finishes.

Any 2xx accepts the notice. 408, 429, server errors and missing responses are retried with growing delays of up to 15 minutes, for
as long as \`timeout\` allows (default 6h), under the same \`webhook-id\`. Other responses are final; redirects are not followed.
Meanwhile all other assets continue. \`renderline show\` shows the state of each notice.

\`format: slack\` or \`format: teams\` with \`urlFrom\` posts a chat message instead, to the address of an incoming webhook (Slack)
or of a workflow (Teams). This address is a secret: the file names the worker's environment variable that holds it. Chat messages
are not signed.

The node creates nothing, so an asset that \`when:\` skips continues as if the node were not there, and adding the node repeats no
work. An asset is notified once, and again only if its source or its resources on the platform change.`,
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
  isSideStep: true,
  profile: { batch: 100, startToClose: '1m', timeout: '6h' },
  recipe: [],
  route: (_config, batch) =>
    `sends one POST for up to ${batch} assets to the receiver; no API requests`,
  steps: ({ onFailure, ...receiver }, scope) => [
    {
      ...scope.own({ ...withoutUndefined(receiver), onFailure }),
      ...(onFailure === 'ignore' ? { onFailure } : {}),
    },
  ],
  run: notifyAssets,
});
