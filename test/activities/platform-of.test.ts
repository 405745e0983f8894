// Two runs in one worker whose files set operation paths. Each run uses its own paths, and the runs share everything
// else.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDeps, type Deps } from '../../activities/deps.ts';
import { RequestCounter } from '../../src/api/request-counter.ts';
import type { PollerContext } from '../../src/engine/polling/poller-context.ts';
import { libraryStatusPoller } from '../../src/features/library/library-status-poller.ts';
import { modelStatusPoller } from '../../src/features/models/model-status-poller.ts';
import { exportStatusPoller } from '../../src/features/production/export-status-poller.ts';
import { propertyDefinitionsCache } from '../../src/features/properties/property-definitions-cache.ts';
import { renderStatusPoller } from '../../src/features/renders/status/render-status-poller.ts';
import { templateNameResolver } from '../../src/features/templates/template-name-resolver.ts';
import { colorwayStatusPoller } from '../../src/features/variants/colorway-status-poller.ts';
import { materialNameResolver } from '../../src/features/variants/material-name-resolver.ts';
import type { Plan } from '../../src/plan/types.ts';
import { noWorkflows } from '../engine/_context.ts';
import { ScriptedPlatform } from '../engine/_platform.ts';

let platform: ScriptedPlatform;
let deps: Deps;
beforeEach(async () => {
  platform = await ScriptedPlatform.start();
  deps = createDeps({
    client: platform.client,
    workflows: noWorkflows,
    secrets: [],
  });
});
afterEach(() => platform.stop());

function of(path: string): Plan['operations'] {
  return { getColorwayBatch: { route: `GET /${path}/{batchId}` } };
}

async function lookAtBatch(operations: Plan['operations'], batchId: string): Promise<void> {
  const { pollerContext } = deps.platformOf(operations ? { operations } : {});
  await colorwayStatusPoller(pollerContext).readKnown([{ batchId, modelId: 'm', tries: 0 }], {
    requests: new RequestCounter(),
  });
}

describe('paths that a file sets', () => {
  it('paths are used only by polls of their own run', async () => {
    await Promise.all([lookAtBatch(of('one'), 'b1'), lookAtBatch(of('two'), 'b2')]);
    expect(platform.requests.toSorted()).toEqual(['GET /one/b1', 'GET /two/b2']);
  });

  it('all runs with the same paths share one platform', () => {
    expect(deps.platformOf({ operations: of('one') })).toBe(
      deps.platformOf({ operations: of('one') }),
    );
  });

  it('runs with different paths share the budget, the wake-ups, and the pollers of models and renders', () => {
    const { client, pollerContext } = deps.platformOf({ operations: of('one') });
    expect(client.budget).toBe(deps.client.budget);
    expect(pollerContext.wakeUps).toBe(deps.pollerContext.wakeUps);
    const all: ((eyes: PollerContext) => unknown)[] = [
      modelStatusPoller,
      renderStatusPoller,
      exportStatusPoller,
      libraryStatusPoller,
    ];
    for (const looks of all) expect(looks(pollerContext)).toBe(looks(deps.pollerContext));
    expect(colorwayStatusPoller(pollerContext)).not.toBe(colorwayStatusPoller(deps.pollerContext));
  });

  it('a run whose file sets no paths is not affected', () => {
    expect(deps.platformOf({})).toMatchObject({
      client: deps.client,
      pollerContext: deps.pollerContext,
    });
  });
});

describe('an urgent run', () => {
  it('an urgent run shares the name caches with other runs, even if its file sets paths', () => {
    const named: ((eyes: PollerContext) => unknown)[] = [
      templateNameResolver,
      materialNameResolver,
      propertyDefinitionsCache,
    ];
    for (const names of named) {
      for (const run of [{ urgent: true }, { urgent: true, operations: of('one') }] as const) {
        expect(names(deps.platformOf(run).pollerContext)).toBe(names(deps.pollerContext));
      }
    }
  });

  it('an urgent run gets its own pollers, but shares the budget and the wake-ups', () => {
    const { client, pollerContext } = deps.platformOf({ urgent: true });
    expect(modelStatusPoller(pollerContext)).not.toBe(modelStatusPoller(deps.pollerContext));
    expect(client.budget).toBe(deps.client.budget);
    expect(pollerContext.wakeUps).toBe(deps.pollerContext.wakeUps);
    expect(deps.platformOf({ urgent: true }).pollerContext).toBe(pollerContext);
  });

  it('urgent runs share their own pollers, even if a pipeline file sets paths', () => {
    const { pollerContext } = deps.platformOf({ urgent: true, operations: of('one') });
    expect(modelStatusPoller(pollerContext)).toBe(
      modelStatusPoller(deps.platformOf({ urgent: true }).pollerContext),
    );
    expect(pollerContext).not.toBe(deps.platformOf({ operations: of('one') }).pollerContext);
  });

  it('an urgent run sends requests before other runs, whatever the priority of its calls, and polls often on a tight budget', async () => {
    const { budget } = deps.client;
    const { client } = deps.platformOf({ urgent: true });
    budget.allot({ permits: 0, limit: 100, heldByOthers: 100 });
    const asked = client.checkModelStatus({ body: { modelIds: ['m'] } }, { priority: 'status' });
    const named = client.withOperations({});
    const also = named.checkModelStatus({ body: { modelIds: ['n'] } }).catch(() => undefined);
    await vi.waitFor(() => expect(budget.snapshot().waiting.interactive).toBe(2));
    expect([budget.pressure(), client.pollBudget.pressure(), named.pollBudget.pressure()]).toEqual([
      1, 0.6, 0.6,
    ]);
    budget.allot(undefined);
    await Promise.allSettled([asked, also]);
  });
});
