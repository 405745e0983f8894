// Two runs in one worker whose files set operation paths: each uses its own paths, and they share everything else.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDeps, type Deps } from '../../activities/deps.ts';
import { RequestCounter } from '../../src/api/counter.ts';
import { libraryLooks } from '../../src/capabilities/library/library-board.ts';
import { modelLooks } from '../../src/capabilities/models/model-board.ts';
import { exportLooks } from '../../src/capabilities/production/export-board.ts';
import { propertyBooks } from '../../src/capabilities/properties/property-books.ts';
import { renderLooks } from '../../src/capabilities/renders/render-board.ts';
import { templateNames } from '../../src/capabilities/templates/template-names.ts';
import { colorwayLooks } from '../../src/capabilities/variants/colorway-board.ts';
import { materialNames } from '../../src/capabilities/variants/material-names.ts';
import type { Lookout } from '../../src/machinery/watch/lookout.ts';
import type { Plan } from '../../src/plan/types.ts';
import { noWorkflows } from '../engine/_context.ts';
import { Platform } from '../engine/_platform.ts';

let platform: Platform;
let deps: Deps;
beforeEach(async () => {
  platform = await Platform.start();
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
  const { lookout } = deps.platformOf(operations ? { operations } : {});
  await colorwayLooks(lookout).know([{ batchId, modelId: 'm', tries: 0 }], {
    requests: new RequestCounter(),
  });
}

describe('paths that a file names', () => {
  it('are those of its own looks, by nobody else', async () => {
    await Promise.all([lookAtBatch(of('one'), 'b1'), lookAtBatch(of('two'), 'b2')]);
    expect(platform.requests.toSorted()).toEqual(['GET /one/b1', 'GET /two/b2']);
  });

  it('are one platform for all runs that name the same', () => {
    expect(deps.platformOf({ operations: of('one') })).toBe(
      deps.platformOf({ operations: of('one') }),
    );
  });

  it('share budget, wake-ups and the pollers of models and renders', () => {
    const { client, lookout } = deps.platformOf({ operations: of('one') });
    expect(client.budget).toBe(deps.client.budget);
    expect(lookout.hints).toBe(deps.lookout.hints);
    const all: ((eyes: Lookout) => unknown)[] = [
      modelLooks,
      renderLooks,
      exportLooks,
      libraryLooks,
    ];
    for (const looks of all) expect(looks(lookout)).toBe(looks(deps.lookout));
    expect(colorwayLooks(lookout)).not.toBe(colorwayLooks(deps.lookout));
  });

  it('are nothing to a run whose file names none', () => {
    expect(deps.platformOf({})).toMatchObject({ client: deps.client, lookout: deps.lookout });
  });
});

describe('an urgent run', () => {
  it('asks for no names that are known, also by paths of its own', () => {
    const named: ((eyes: Lookout) => unknown)[] = [templateNames, materialNames, propertyBooks];
    for (const names of named) {
      for (const run of [{ urgent: true }, { urgent: true, operations: of('one') }] as const) {
        expect(names(deps.platformOf(run).lookout)).toBe(names(deps.lookout));
      }
    }
  });

  it('has pollers of its own, and shares budget and wake-ups', () => {
    const { client, lookout } = deps.platformOf({ urgent: true });
    expect(modelLooks(lookout)).not.toBe(modelLooks(deps.lookout));
    expect(client.budget).toBe(deps.client.budget);
    expect(lookout.hints).toBe(deps.lookout.hints);
    expect(deps.platformOf({ urgent: true }).lookout).toBe(lookout);
  });

  it('has its own looks by named paths too', () => {
    const { lookout } = deps.platformOf({ urgent: true, operations: of('one') });
    expect(modelLooks(lookout)).toBe(modelLooks(deps.platformOf({ urgent: true }).lookout));
    expect(lookout).not.toBe(deps.platformOf({ operations: of('one') }).lookout);
  });

  it('sends before others whatever its calls say, and looks often while the budget is tight', async () => {
    const { budget } = deps.client;
    const { client } = deps.platformOf({ urgent: true });
    budget.allot({ places: 0, limit: 100, elsewhere: 100 });
    const asked = client.checkModelStatus({ body: { modelIds: ['m'] } }, { priority: 'status' });
    const named = client.withOperations({});
    const also = named.checkModelStatus({ body: { modelIds: ['n'] } }).catch(() => undefined);
    await vi.waitFor(() => expect(budget.snapshot().waiting.interactive).toBe(2));
    expect([budget.pressure(), client.pace.pressure(), named.pace.pressure()]).toEqual([
      1, 0.6, 0.6,
    ]);
    budget.allot(undefined);
    await Promise.allSettled([asked, also]);
  });
});
