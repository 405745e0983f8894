// Holds each asset until its renders have ended.
import { z } from 'zod';
import { awaitRenders } from '../engine/await-renders.ts';
import { defineNode, type StepProfile } from './node-type.ts';

export const renderWaitProfile: StepProfile = { batch: 250, startToClose: '2m', timeout: '6h' };

export const renderComplete = defineNode({
  type: 'render_complete',
  summary: 'Hold each asset until all its renders have ended.',
  docs: `One look at the render list serves every shard of a worker; batches are read only when they moved, and
all of them now and then for failures. FAILED renders go back to the \`render\` node up to \`maxRetries\`
times. \`timeout\` is how long one asset may take (default 6h).`,
  example: `name: submit-then-wait
parameters:
  folder: { type: path, required: true }
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
records: models
nodes:
  - { id: take, type: connector_poll, config: { connector: models } }
  - { id: ready, type: model_ready, parentIds: [take] }
  - { id: shots, type: render, parentIds: [ready], config: { wait: false } }
  - { id: rendered, type: render_complete, parentIds: [shots], timeout: 1h }
`,
  config: z.strictObject({}),
  mode: 'wait',
  needs: ['render'],
  gives: ['finished render'],
  profile: renderWaitProfile,
  longestTimeout: '23h',
  recipe: [],
  route: () => 'watches the render list, then reads only the batches that moved',
  steps(_config, scope) {
    const source = scope.nearestAncestor('render');
    return [
      {
        part: '',
        activity: 'render_complete',
        mode: 'wait',
        config: {},
        profile: renderWaitProfile,
        ...(source ? { redo: { node: source, part: '' } } : {}),
      },
    ];
  },
  run: awaitRenders,
});
