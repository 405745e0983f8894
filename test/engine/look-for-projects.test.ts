// Which projects of the list belong to a call whose response was lost, when several calls were about one model.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { resolveOutcome } from '../../src/engine/submit/ambiguous-outcome.ts';
import { projectCreation } from '../../src/features/projects/creations.ts';
import type { PlatformIds } from '../../src/plan/platform-ids.ts';
import type { Intent } from '../../src/store/calls/intents.ts';
import type { RunStore } from '../../src/store/runs/run-store.ts';
import { contextOn } from './_context.ts';
import { ScriptedPlatform } from './_platform.ts';

let platform: ScriptedPlatform;
beforeEach(async () => {
  platform = await ScriptedPlatform.start();
});
afterEach(() => platform.stop());

const since = '2026-01-01T00:00:00.000Z';

/** A call for one project of model `m`, for an asset with the name of that project. */
const call = (key: string, more: Partial<Intent> = {}): Intent => ({
  schema: 'renderline/intent/v1',
  state: 'open',
  operation: 'createProjects',
  key,
  bodyText: JSON.stringify({ modelIds: ['m'], createPerModel: true }),
  assets: [key],
  createdAt: since,
  ...more,
});
/** The call failed, but its work may have been done. */
const failed = (key: string) => call(key, { ambiguousSince: since });
const answered = (key: string, projectId: string) =>
  call(key, { state: 'done', result: { [key]: { projectId } } });

/** Projects of the model, created one per second. */
function listed(...oldestFirst: string[]): void {
  const projects = oldestFirst.map((projectId, index) => ({
    projectId,
    name: 'shoe',
    modelIds: ['m'],
    status: 'PENDING',
    source: 'API',
    createdAt: new Date(Date.parse(since) + 1_000 * index).toISOString(),
  }));
  const body = { projects: projects.toReversed(), total: projects.length, limit: 100, offset: 0 };
  platform.intercept = () => ({ status: 200, body });
}

async function madeBy(key: string, calls: readonly Intent[]): Promise<PlatformIds | null> {
  const store: Pick<RunStore, 'callsOf'> = { callsOf: async () => [...calls] };
  const context = contextOn(platform, {
    store: store as RunStore,
    now: () => Date.now(),
  });
  const intent = calls.find((one) => one.key === key) ?? call(key);
  const finding = await resolveOutcome(intent, projectCreation, context);
  return finding.state === 'done' ? (finding.created[key] ?? null) : null;
}

it.each<[string, string[], Intent[], Record<string, string | null>]>([
  ['a single call takes the oldest project', ['p1', 'p2'], [call('a')], { a: 'p1' }],
  [
    'several failed calls each take one project, in the order of their keys',
    ['p1', 'p2', 'p3'],
    [failed('c'), failed('a'), failed('b')],
    { a: 'p1', b: 'p2', c: 'p3' },
  ],
  [
    'a project that a response contains belongs to that call, which gets no other project',
    ['p1', 'p2'],
    [answered('a', 'p1'), call('b')],
    { b: 'p2' },
  ],
  [
    'a refused call takes no project',
    ['p1', 'p2'],
    [call('a', { state: 'refused' }), call('b')],
    { b: 'p1' },
  ],
  [
    'a call for another model or another operation gets no project',
    ['p1', 'p2'],
    [
      call('a', { bodyText: JSON.stringify({ modelIds: ['n'], createPerModel: true }) }),
      call('b', { operation: 'createRenders' }),
      call('c'),
    ],
    { c: 'p1' },
  ],
  [
    'if there are too few projects, the last call gets none',
    ['p1'],
    [failed('a'), failed('b')],
    { b: null },
  ],
  [
    'if one of the calls may never have been sent, no call gets a project',
    ['p1', 'p2'],
    [failed('a'), call('b')],
    { a: null, b: null },
  ],
])('%s', async (_what, projects, calls, expected) => {
  listed(...projects);
  for (const [key, projectId] of Object.entries(expected)) {
    expect((await madeBy(key, calls))?.projectId ?? null, key).toBe(projectId);
  }
});

it('a project that was found is marked `ownProject: false`', async () => {
  listed('p1');
  expect(await madeBy('a', [call('a')])).toEqual({ projectId: 'p1', ownProject: false });
});
