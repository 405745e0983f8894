// Deleting resources of old file versions: the requests, the retried errors, and when deletion is given up.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RequestCounter } from '../../src/api/request-counter.ts';
import {
  type DeletionContext,
  deleteResources,
} from '../../src/engine/cleaning/delete-resources.ts';
import { NotDeletedYetError } from '../../src/engine/engine-errors.ts';
import type { PlatformResource } from '../../src/plan/contract/contract.ts';
import { ScriptedPlatform, type ScriptedResponse } from './_platform.ts';

const resources: PlatformResource[] = [
  { kind: 'project', id: 'p1' },
  { kind: 'model', id: 'm1' },
];
const refusal = (status: number, code: string): ScriptedResponse => ({
  status,
  body: { error: { code, message: 'said so' } },
});
const gone: ScriptedResponse = refusal(404, 'NOT_FOUND');

let platform: ScriptedPlatform;

beforeEach(async () => {
  platform = await ScriptedPlatform.start();
  platform.intercept = (request) => done(request);
});

afterEach(() => platform.stop());

/** A successful deletion. */
function done(request: string): ScriptedResponse | undefined {
  const [, kind = '', id = ''] = /^DELETE \/(\w+)s\/(.+)$/.exec(request) ?? [];
  return kind === '' ? undefined : { status: 200, body: { deleted: true, [`${kind}Id`]: id } };
}

function context(more: Partial<DeletionContext> = {}): DeletionContext {
  return {
    client: platform.client,
    requests: new RequestCounter(),
    signal: new AbortController().signal,
    assertLease: () => Promise.resolve(),
    isEnding: () => false,
    attempt: { number: 1, firstAtMs: 0 },
    runNow: () => 0,
    ...more,
  };
}

const late = { attempt: { number: 20, firstAtMs: 0 }, runNow: () => 10 * 60_000 };

describe('deleting resources', () => {
  it('each resource takes one request, a project is deleted before its model, and the deletions are counted', async () => {
    const requests = new RequestCounter();
    expect(await deleteResources(resources, context({ requests }))).toBeNull();
    expect(platform.requests).toEqual(['DELETE /projects/p1', 'DELETE /models/m1']);
    expect(requests.take().byOperation).toEqual({ deleteProject: 1, deleteModel: 1 });
  });

  it.each(['prop', 'decal', 'material'] as const)(
    'a resource of the kind %s is deleted',
    async (kind) => {
      expect(await deleteResources([{ kind, id: 'x' }], context())).toBeNull();
      expect(platform.requests).toEqual([`DELETE /${kind}s/x`]);
    },
  );

  it('a missing resource counts as deleted', async () => {
    platform.intercept = () => gone;
    expect(await deleteResources(resources, context())).toBeNull();
    expect(platform.requests).toHaveLength(2);
  });

  it('a model is kept, and the reason is reported, if the platform refuses to delete its project', async () => {
    platform.intercept = () => refusal(403, 'FORBIDDEN');
    expect(await deleteResources(resources, context())).toEqual({
      resources,
      reason: 'deleteProject: 403 FORBIDDEN: said so',
      isRetriedNextRun: false,
    });
    expect(platform.requests).toHaveLength(1);
  });

  it('only the model whose deletion was refused is kept', async () => {
    const models: PlatformResource[] = ['m1', 'm2'].map((id) => ({ kind: 'model', id }));
    platform.intercept = (request) =>
      request.endsWith('/m1') ? refusal(403, 'FORBIDDEN') : done(request);
    const left = await deleteResources(models, context());
    expect(left).toMatchObject({ resources: models.slice(0, 1), isRetriedNextRun: false });
    expect(platform.requests).toHaveLength(2);
  });

  it('only the model is kept if just its own deletion is refused', async () => {
    platform.intercept = (request) =>
      request.includes('models') ? refusal(400, 'INVALID_STATUS') : done(request);
    const left = await deleteResources(resources, context());
    expect(left).toMatchObject({ resources: resources.slice(1), isRetriedNextRun: false });
  });
});

describe('a temporary error during a deletion', () => {
  const troubles: [string, ScriptedResponse][] = [
    ['status 500', refusal(500, 'INTERNAL_ERROR')],
    ['status 429', refusal(429, 'RATE_LIMITED')],
    ['a refused key', refusal(401, 'INVALID_API_KEY')],
    ['a refused location', refusal(403, 'GEO_RESTRICTED')],
  ];

  it.each(troubles)('a temporary error (%s) is left to the next attempt', async (_what, answer) => {
    platform.intercept = () => answer;
    await expect(deleteResources(resources, context())).rejects.toThrow(NotDeletedYetError);
    expect(platform.requests).toHaveLength(1);
  });

  it.each(troubles)(
    'after a temporary error (%s), deletion is given up after ten minutes and twenty attempts',
    async (_what, answer) => {
      platform.intercept = () => answer;
      const left = await deleteResources(resources, context(late));
      expect(left).toMatchObject({ resources, isRetriedNextRun: false });
    },
  );

  it.each([
    ['twenty attempts in nine minutes', { ...late, runNow: () => 9 * 60_000 }],
    ['nineteen attempts in ten minutes', { ...late, attempt: { number: 19, firstAtMs: 0 } }],
  ])('a deletion with a temporary error is still retried after %s', async (_what, more) => {
    platform.intercept = () => refusal(500, 'INTERNAL_ERROR');
    await expect(deleteResources(resources, context(more))).rejects.toThrow(
      'project p1 is not deleted yet',
    );
  });

  it('a broken connection counts as a temporary error', async () => {
    platform.intercept = () => Promise.reject(new Error('broken'));
    await expect(deleteResources(resources, context())).rejects.toThrow(NotDeletedYetError);
  });
});

describe('an attempt that another one has replaced', () => {
  it.each([
    ['of a run that continues', false],
    ['of a run that is ending', true],
  ])(
    'an attempt %s deletes nothing after its replacement and reports nothing',
    async (_what, ends) => {
      let isReplaced = false;
      const assertLease = async () => {
        isReplaced = platform.requests.length > 0;
        if (isReplaced) throw new Error('another attempt continues the work');
      };
      const isEnding = () => ends && isReplaced;
      const left = deleteResources(resources, context({ assertLease, isEnding }));
      await expect(left).rejects.toThrow('another attempt continues the work');
      expect(platform.requests).toEqual(['DELETE /projects/p1']);
    },
  );
});

describe('a run that is ending', () => {
  it('no deletion is requested while the run is ending', async () => {
    expect(await deleteResources(resources, context({ isEnding: () => true }))).toMatchObject({
      resources,
      isRetriedNextRun: true,
    });
    expect(platform.requests).toEqual([]);
  });

  it('a deletion in flight is abandoned when the run is ending', async () => {
    const controller = new AbortController();
    platform.intercept = () => {
      controller.abort();
      return new Promise(() => undefined);
    };
    const isEnding = () => controller.signal.aborted;
    const left = await deleteResources(resources, context({ signal: controller.signal, isEnding }));
    expect(left).toMatchObject({ resources, isRetriedNextRun: true });
  });

  it('the deletion is left to another worker if this worker stops', async () => {
    const controller = new AbortController();
    platform.intercept = () => {
      controller.abort(new Error('the worker stops'));
      return new Promise(() => undefined);
    };
    await expect(
      deleteResources(resources, context({ signal: controller.signal })),
    ).rejects.toThrow('the worker stops');
  });
});
