// Properties of document numbers and versions for random sequences of client actions.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  captureSeconds,
  type Export,
  filesOf,
  finishCaptures,
  projectModel,
  putLogo,
  readExport,
  readyDecal,
  startExport,
  viewsOf,
} from '../_production.ts';
import { TestSandbox } from '../_test-sandbox.ts';

type Step =
  | { readonly do: 'export' | 'create'; readonly chosen: readonly number[]; readonly lit: boolean }
  | { readonly do: 'logo'; readonly variant: number; readonly there: boolean }
  | { readonly do: 'wait'; readonly seconds: number };

const chosen = fc.uniqueArray(fc.integer({ min: 0, max: 2 }), { minLength: 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('export' as const), chosen, lit: fc.boolean() }),
  fc.record({ do: fc.constant('create' as const), chosen, lit: fc.boolean() }),
  fc.record({ do: fc.constant('logo' as const), variant: fc.nat(2), there: fc.boolean() }),
  fc.record({ do: fc.constant('wait' as const), seconds: fc.nat(2 * captureSeconds) }),
);

/** Executes the steps. Returns the model and the started exports. */
async function take(sandbox: TestSandbox, steps: readonly Step[]) {
  const { modelId, variantIds } = await projectModel(sandbox);
  const decalId = await readyDecal(sandbox);
  const started = new Set<string>();
  for (const each of steps) {
    if (each.do === 'wait') {
      await sandbox.sandbox.idle();
      sandbox.advance(each.seconds);
    } else if (each.do === 'logo') {
      const variantId = variantIds[each.variant] ?? '';
      await putLogo(sandbox, { modelId, variantId }, each.there ? decalId : null);
    } else {
      const ids = each.chosen.map((index) => variantIds[index] ?? '');
      const options = { captureMode: each.lit ? 'lit' : 'flat' };
      if (each.do === 'create') {
        const route = `POST /models/${modelId}/production-files`;
        const { status } = await sandbox.call(route, { variantIds: ids, options });
        expect(status).toBe(201);
        continue;
      }
      const { status, body } = await startExport(sandbox, modelId, ids, options);
      expect(status).toBe(body.status === 'READY' ? 201 : 202);
      if (body.id !== null) started.add(body.id);
      const isCurrent = await current(sandbox, modelId, ids, options.captureMode);
      // An export is READY exactly if every selected view is current in the requested mode.
      expect(isCurrent).toBe(body.status === 'READY');
    }
  }
  await finishCaptures(sandbox);
  return { modelId, exports: [...started] };
}

async function current(sandbox: TestSandbox, modelId: string, ids: string[], mode: string) {
  const views = await viewsOf(sandbox, modelId);
  return ids.every((id) => {
    const view = views.find(({ variantId }) => variantId === id);
    return view !== undefined && !view.stale && view.captureMode === mode;
  });
}

test('a set of variants has one number and versions without a gap, and every export gets its file', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const sandbox = new TestSandbox();
      try {
        const { modelId, exports } = await take(sandbox, steps);
        const ended: Export[] = [];
        for (const id of exports) ended.push(await readExport(sandbox, id));
        expect(ended.every(({ status }) => status === 'READY')).toBe(true);
        const files = (await filesOf(sandbox, modelId)).toReversed();
        for (const { productionFile } of ended) {
          expect(files.map(({ id }) => id)).toContain(productionFile?.id);
        }
        const versions = new Map<string, { number: string; next: number }>();
        for (const { variantIds, documentNumber, version } of files) {
          const set = [...variantIds].sort().join();
          const known = versions.get(set) ?? { number: documentNumber, next: 1 };
          expect([documentNumber, version]).toEqual([known.number, known.next]);
          versions.set(set, { ...known, next: known.next + 1 });
        }
        const numbers = [...versions.values()].map(({ number }) => number);
        expect(numbers).toEqual(numbers.map((_, index) => `PF-0000${index + 1}`));
      } finally {
        await sandbox.sandbox.close();
      }
    }),
    { numRuns: 25 },
  );
});
