// Creating calls whose response is lost after the platform has done the work. Work that reads can find is not repeated;
// other work is reported.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OperationId, operations } from '../../src/api/operations/index.ts';
import { runAttempts } from './_attempts.ts';
import { creatingCalls } from './_creating-calls.ts';
import { SandboxRun } from './_sandbox-run.ts';

let at: SandboxRun;
beforeEach(async () => {
  at = await SandboxRun.start();
});
afterEach(() => at.stop());

/** Ways to lose the response of completed work. The key replays the response only where noted. */
const losses = {
  '500': { commitThenStatus: 500 },
  '502': { commitThenStatus: 502 },
  '503': { commitThenStatus: 503 },
  '504': { commitThenStatus: 504 },
  'a broken connection': { reset: 'after', kept: false },
  'half an answer': { truncate: true, kept: false },
  'a page of a gateway': { body: '<html>busy</html>', contentType: 'text/html' },
  '502 of a gateway, remembered': { commitThenStatus: 502, kept: true },
  'a broken connection, remembered': { reset: 'after' },
  'half an answer, remembered': { truncate: true },
} as const;
type Loss = keyof typeof losses;

const isRemembered = (loss: Loss) => loss.endsWith('remembered') || loss === 'a page of a gateway';

/** Reads show that the work is done, so it is never repeated. */
const proven: Record<string, string[]> = {
  confirmJobUploads: ['a', 'b'],
  createProjects: ['a', 'b'],
  retryRenderJob: ['retry'],
  exportProductionFile: ['v1', 'v2'],
  createColorwayBatch: ['Oak', 'Oak'],
  retryColorwayJob: ['retry'],
};

/** Reads show what was created, but its links are lost. */
const shown: Record<string, string[]> = {
  createJob: ['a', 'b'],
  createModels: ['a', 'b'],
  createProps: ['a', 'b'],
  createDecals: ['a', 'b'],
  createMaterial: ['a', 'b'],
};

/** No read shows what was created. */
const unseen: Record<string, string[]> = { createRenders: ['job', 'job'] };

it('the tables cover every creating call that nodes send and that the sandbox serves', () => {
  const known = Object.keys({ ...proven, ...shown, ...unseen });
  expect(known.sort()).toEqual(Object.keys(creatingCalls).sort());
});

const rows = (of: Record<string, string[]>) =>
  Object.entries(of).flatMap(([operation, once]) =>
    (Object.keys(losses) as Loss[]).map((loss) => [operation, loss, once] as const),
  );

async function lose(operation: string, fault: object) {
  const scene = creatingCalls[operation];
  if (scene === undefined) throw new Error(`no scene for ${operation}`);
  const { plan, assets } = await scene.prepare(at);
  await at.control('faults', [{ match: operation, nth: 1, do: fault }]);
  const ended = await runAttempts(at, plan, scene.activity, assets);
  expect(ended.attempts).toBeGreaterThan(1);
  const results = [...ended.results.values()];
  expect(results.map(({ key, outcome }) => `${key} ${outcome}`).sort()).toEqual(
    assets.map(({ key }) => `${key} done`),
  );
  return {
    made: await scene.createdIds(at, assets),
    warnings: results.flatMap((result) => ('warnings' in result ? (result.warnings ?? []) : [])),
    requests: ended.requests,
    assets,
  };
}

const twice = (once: readonly string[]) => [...once, ...once].sort();

describe('work that a read can find', () => {
  it.each(rows(proven))(
    '%s whose response is lost (%s) is not repeated',
    async (operation, loss, once) => {
      const { made, warnings, requests } = await lose(operation, losses[loss]);
      expect(made).toEqual(once);
      expect(warnings).toEqual([]);
      const { verifiedBy = [] } = operations[operation as OperationId] as {
        verifiedBy?: readonly string[];
      };
      for (const read of verifiedBy) expect(requests).toHaveProperty(read);
      expect(requests).not.toHaveProperty(operation);
    },
  );
});

describe('records whose upload links were in the lost response', () => {
  it.each(rows(shown))(
    '%s (%s): the records are created again with a warning, unless the key replays the response',
    async (operation, loss, once) => {
      const { made, warnings, requests } = await lose(operation, losses[loss]);
      const [read] = (operations[operation as OperationId] as { verifiedBy: readonly string[] })
        .verifiedBy;
      expect(requests).toHaveProperty(read ?? '');
      if (isRemembered(loss)) {
        expect(made).toEqual(once);
        expect(warnings).toEqual([]);
        return;
      }
      // Other records had to be created, because the links were lost. The lost records are not deleted, because they
      // may belong to others.
      const asked = operation === 'createMaterial' ? 1 : once.length;
      expect([...new Set(made)]).toEqual(once);
      expect(made).toHaveLength(once.length + asked);
      expect(warnings).toHaveLength(asked);
      for (const warning of warnings) {
        expect(warning).toMatch(
          /^create\w+ was sent again .* and (model|prop|decal|material) \S+ of/,
        );
      }
    },
  );
});

describe('work that no read can find', () => {
  it.each(rows(unseen))(
    '%s whose response is lost (%s) is reported as a possible duplicate',
    async (operation, loss, once) => {
      const { made, warnings, assets } = await lose(operation, losses[loss]);
      expect(made).toEqual(isRemembered(loss) ? once : twice(once));
      expect(warnings).toHaveLength(assets.length);
      expect(warnings[0]).toMatch(/^createRenders was sent again .* counted, twice$/);
    },
  );
});
