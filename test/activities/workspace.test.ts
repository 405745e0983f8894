// A worker does not execute activities for runs of a workspace other than that of its key.
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDeps } from '../../activities/deps.ts';
import { createActivities } from '../../activities/index.ts';
import { type AllActivities, runCauseType } from '../../src/plan/contract/contract.ts';
import { noWorkflows, runContext } from '../engine/_context.ts';
import { ScriptedPlatform } from '../engine/_platform.ts';

let platform: ScriptedPlatform;
beforeEach(async () => {
  platform = await ScriptedPlatform.start();
});
afterEach(() => platform.stop());

function activitiesOf(own: string | null): AllActivities {
  const workspace = own === null ? {} : { workspace: { id: own, name: 'Shoes' } };
  const deps = createDeps({
    client: platform.client,
    workflows: noWorkflows,
    secrets: [],
    ...workspace,
  });
  return createActivities(deps);
}

/** The failure of an activity that receives only the run's context. */
async function failureOf(name: string, own: string | null, wanted: string | undefined) {
  const context = { ...runContext(), ...(wanted === undefined ? {} : { workspace: wanted }) };
  const activity = activitiesOf(own)[name] as (input: object) => Promise<void>;
  try {
    await new MockActivityEnvironment().run(activity, { context });
  } catch (error) {
    return error as { type?: string; message: string; nonRetryable?: boolean };
  }
  return null;
}

const names = Object.keys(activitiesOfNobody());
function activitiesOfNobody(): AllActivities {
  const deps = { workspace: null } as Parameters<typeof createActivities>[0];
  return createActivities(deps);
}

const triedAgain = [
  'compactPages',
  'finalizeAssets',
  'countShard',
  'endOrphanedChildren',
  'listClosedShards',
  'readLoad',
  'cancelRemoteJobs',
  'filterEvents',
  'withdraw',
  'writeManifests',
  'writeReport',
];
const words =
  'the run belongs to workspace w-1, but the key of this worker belongs to workspace w-2 ("Shoes")';

describe('a run of another workspace', () => {
  it.each(names)('a run of another workspace is refused by %s', async (name) => {
    const failure = await failureOf(name, 'w-2', 'w-1');
    expect(failure?.message).toContain(words);
    expect([failure?.type, failure?.nonRetryable]).toEqual(
      triedAgain.includes(name) ? ['OTHER_WORKSPACE', false] : [runCauseType, true],
    );
    expect(platform.requests).toEqual([]);
  });

  it.each<[string, string | null, string | undefined]>([
    ['a run of its own workspace', 'w-1', 'w-1'],
    ['a run without a workspace', 'w-2', undefined],
    ['a run of a worker without a workspace', null, 'w-1'],
  ])('another workspace is not assumed for %s', async (_what, own, wanted) => {
    const failure = await failureOf('discover', own, wanted);
    expect(failure?.message ?? '').not.toContain('belongs to workspace');
  });
});
