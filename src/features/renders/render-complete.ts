import { z } from 'zod';
import {
  checkEventFields,
  createEventFields,
  defaultOverlapMs,
  toEventRules,
} from '../../engine/discovery/event-fields.ts';
import { defineNode, type RootRole } from '../../engine/node-type.ts';
import { defineWait, toPollClock } from '../../engine/wait-results.ts';
import { fail, failMissing } from '../../failures/fail.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { readyModelsExample } from '../example.ts';
import { failCancelledRender, formatJobFailure, jobIdFields, renderFailures } from './failures.ts';
import { renderLister } from './select-renders.ts';
import {
  type RenderPollResult,
  renderStatusPoller,
  type WatchedJob,
} from './status/render-status-poller.ts';

const Config = checkEventFields(
  z.strictObject(
    createEventFields('render.complete', {
      begins: 'finished outputs, one asset each',
      made: 'renders that Renderline itself submitted',
    }),
  ),
);

/** Starts with outputs that events identify. A manually started run processes every finished output. */
const root: RootRole<z.output<typeof Config>> = {
  from: 'platform',
  by: ['on'],
  providedResources: () => ['finished render'],
  eventTrigger: (config) => toEventRules(config, defaultOverlapMs),
  list: (_config, context) => renderLister({}, context),
};

/** Typical duration of a render. */
const renderSeconds = 8;

/** Number of batches that a run submits within about ten seconds. */
const batchesPerOutputCount = 10;

export const awaitRenders = defineWait<WatchedJob, RenderPollResult>((context) => {
  const nowMs = context.runNow();
  const itemOf = (asset: StepAsset) =>
    watchedJobOf(asset, toPollClock(asset.enteredAtMs ?? nowMs, context));
  return {
    poller: renderStatusPoller(context.pollerContext),
    itemOf,
    resultOf: (asset, pollResult) =>
      itemOf(asset) ? toResult(asset, pollResult) : toResultWithoutJob(asset),
    timeout: { failure: renderFailures.RENDER_TIMEOUT, what: 'its render did not end' },
    noticedAtMs: (pollResult) => pollResult.noticedAtMs,
  };
});

export const renderComplete = defineNode({
  type: 'render_complete',
  summary: 'Hold each asset until all its renders have finished.',
  docs: `One request for the render list serves all shards of a worker. Batches are read when they have changed, and
all of them at longer intervals to detect failures. FAILED renders go back to the \`render\` node up to \`maxRetries\`
times. \`timeout\` is how long one asset may take (default 6h).

With \`on: render.complete\` the pipeline starts with finished outputs of renders that somebody else submitted, each output an
asset: \`renderline apply FILE\` lets events start runs, and \`renderline webhooks\` receives the events. Renders that
Renderline itself submitted, by any pipeline of the workspace, start no run unless \`own: true\`. If a person starts the pipeline, it
processes every finished output.`,
  example: `${readyModelsExample('submit-then-wait')}
  - { id: shots, type: render, parentIds: [ready], config: { wait: false } }
  - { id: rendered, type: render_complete, parentIds: [shots], timeout: 1h }
`,
  config: Config,
  mode: 'wait',
  waitsFor: 'the platform to render',
  root,
  needs: ['render'],
  needsFor: ({ on }) => (on ? [] : ['render']),
  gives: ['finished render'],
  profile: { batch: 250, startToClose: '2m', timeout: '6h' },
  maxTimeout: '23h',
  stage: 'render',
  recipe: [],
  route: ({ on }) =>
    on
      ? 'its renders have already finished'
      : 'polls the render list, then reads only the batches that changed',
  steps(config, scope) {
    const source = scope.nearestAncestor('render');
    return [{ ...scope.own(config), ...(source ? { retryAt: { node: source, part: '' } } : {}) }];
  },
  cost: {
    seconds: renderSeconds,
    // One list request per second serves all shards. Each batch is read when it has changed. A root does not wait.
    requests({ isRoot, batchesOf, pollSeconds }) {
      if (isRoot) return {};
      const batches = batchesOf('render');
      // One job of each group is read to find out how many outputs the jobs submitted at the same time have.
      const counts = Math.ceil(batches / batchesPerOutputCount);
      return { listRenders: pollSeconds, getRenderBatch: 2 * batches, getRenderJob: counts };
    },
  },
  run: awaitRenders,
});

function watchedJobOf({ platformIds }: StepAsset, waitedSinceMs: number): WatchedJob | null {
  const { jobId, batchId, projectId, submittedAt, ownProject, retries, outputs, outputCountKey } =
    platformIds;
  if (!jobId || batchId === undefined || !projectId || !submittedAt) return null;
  // There is nothing to wait for, because the job had finished before the wait began.
  if (batchId === '' && outputs !== undefined) return null;
  const isOnlyJob = ownProject === true && !retries;
  return { jobId, batchId, projectId, submittedAt, waitedSinceMs, isOnlyJob, outputCountKey };
}

function toResult(asset: StepAsset, pollResult: RenderPollResult | undefined): AssetResult | null {
  const { key } = asset;
  switch (pollResult?.status) {
    case 'COMPLETED': {
      const { outputs } = pollResult;
      return { key, outcome: 'done', ...(outputs ? { platformIds: { outputs } } : {}) };
    }
    case 'FAILED': {
      const { code } = renderFailures.RENDER_FAILED;
      const message = formatJobFailure(pollResult);
      return { key, outcome: 'retry', code, message, platformIds: { failedJob: true } };
    }
    case 'CANCELLED':
      return failCancelledRender(key);
    case 'NOT_FOUND': {
      const { batchId, jobId = '' } = asset.platformIds;
      const jobLabel = batchId ? `render batch ${batchId}` : `render job ${jobId}`;
      return failMissing(renderFailures.RENDER_JOB_NOT_FOUND, key, jobLabel, [...jobIdFields]);
    }
    default:
      return null;
  }
}

function toResultWithoutJob({ key, platformIds }: StepAsset): AssetResult {
  if (platformIds.outputs !== undefined) return { key, outcome: 'done' };
  return fail(renderFailures.NO_RENDER, key, 'the asset has no render job to wait for');
}
