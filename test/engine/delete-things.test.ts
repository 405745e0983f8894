// Deleting resources of old file versions: the requests, the retried errors, and when deletion is given up.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RequestCounter } from '../../src/api/counter.ts';
import { type DeletionContext, deleteThings } from '../../src/machinery/cleaning/delete-things.ts';
import { NotDeletedYetError } from '../../src/machinery/engine-errors.ts';
import type { PlatformThing } from '../../src/plan/contract.ts';
import { type Answer, Platform } from './_platform.ts';

const things: PlatformThing[] = [
  { kind: 'project', id: 'p1' },
  { kind: 'model', id: 'm1' },
];
const refusal = (status: number, code: string): Answer => ({
  status,
  body: { error: { code, message: 'said so' } },
});
const gone: Answer = refusal(404, 'NOT_FOUND');

let platform: Platform;

beforeEach(async () => {
  platform = await Platform.start();
  platform.intercept = (request) => done(request);
});

afterEach(() => platform.stop());

/** A successful deletion. */
function done(request: string): Answer | undefined {
  const [, kind = '', id = ''] = /^DELETE \/(\w+)s\/(.+)$/.exec(request) ?? [];
  return kind === '' ? undefined : { status: 200, body: { deleted: true, [`${kind}Id`]: id } };
}

function context(more: Partial<DeletionContext> = {}): DeletionContext {
  return {
    client: platform.client,
    requests: new RequestCounter(),
    signal: new AbortController().signal,
    isEnding: () => false,
    attempt: { number: 1, firstAtMs: 0 },
    runNow: () => 0,
    ...more,
  };
}

const late = { attempt: { number: 20, firstAtMs: 0 }, runNow: () => 10 * 60_000 };

describe('deleting', () => {
  it('sends one request for each, the project before its model, and counts them', async () => {
    const requests = new RequestCounter();
    expect(await deleteThings(things, context({ requests }))).toBeNull();
    expect(platform.requests).toEqual(['DELETE /projects/p1', 'DELETE /models/m1']);
    expect(requests.take().byOperation).toEqual({ deleteProject: 1, deleteModel: 1 });
  });

  it.each(['prop', 'decal', 'material'] as const)('knows every kind: %s', async (kind) => {
    expect(await deleteThings([{ kind, id: 'x' }], context())).toBeNull();
    expect(platform.requests).toEqual([`DELETE /${kind}s/x`]);
  });

  it('takes what is gone already as deleted', async () => {
    platform.intercept = () => gone;
    expect(await deleteThings(things, context())).toBeNull();
    expect(platform.requests).toHaveLength(2);
  });

  it('leaves the model of a project that the platform keeps, and says why', async () => {
    platform.intercept = () => refusal(403, 'FORBIDDEN');
    expect(await deleteThings(things, context())).toEqual({
      things,
      why: 'deleteProject: 403 FORBIDDEN: said so',
      later: false,
    });
    expect(platform.requests).toHaveLength(1);
  });

  it('of several models leaves only the one that is refused', async () => {
    const models: PlatformThing[] = ['m1', 'm2'].map((id) => ({ kind: 'model', id }));
    platform.intercept = (request) =>
      request.endsWith('/m1') ? refusal(403, 'FORBIDDEN') : done(request);
    const left = await deleteThings(models, context());
    expect(left).toMatchObject({ things: models.slice(0, 1), later: false });
    expect(platform.requests).toHaveLength(2);
  });

  it('leaves the model alone where only that is refused', async () => {
    platform.intercept = (request) =>
      request.includes('models') ? refusal(400, 'INVALID_STATUS') : done(request);
    const left = await deleteThings(things, context());
    expect(left).toMatchObject({ things: things.slice(1), later: false });
  });
});

describe('a passing trouble', () => {
  const troubles: [string, Answer][] = [
    ['500', refusal(500, 'INTERNAL_ERROR')],
    ['429', refusal(429, 'RATE_LIMITED')],
    ['a key that is refused', refusal(401, 'INVALID_API_KEY')],
    ['a place that is refused', refusal(403, 'GEO_RESTRICTED')],
  ];

  it.each(troubles)('%s is for the next attempt', async (_what, answer) => {
    platform.intercept = () => answer;
    await expect(deleteThings(things, context())).rejects.toThrow(NotDeletedYetError);
    expect(platform.requests).toHaveLength(1);
  });

  it.each(troubles)('%s is let be after ten minutes and twenty attempts', async (_what, answer) => {
    platform.intercept = () => answer;
    const left = await deleteThings(things, context(late));
    expect(left).toMatchObject({ things, later: false });
  });

  it.each([
    ['twenty attempts in less time', { ...late, runNow: () => 9 * 60_000 }],
    ['ten minutes with fewer attempts', { ...late, attempt: { number: 19, firstAtMs: 0 } }],
  ])('%s are not enough', async (_what, more) => {
    platform.intercept = () => refusal(500, 'INTERNAL_ERROR');
    await expect(deleteThings(things, context(more))).rejects.toThrow(
      'project p1 is not deleted yet',
    );
  });

  it('a connection that breaks is one', async () => {
    platform.intercept = () => Promise.reject(new Error('broken'));
    await expect(deleteThings(things, context())).rejects.toThrow(NotDeletedYetError);
  });
});

describe('a run that is to end', () => {
  it('asks for nothing more', async () => {
    expect(await deleteThings(things, context({ isEnding: () => true }))).toMatchObject({
      things,
      later: true,
    });
    expect(platform.requests).toEqual([]);
  });

  it('lets go of the request that is under way', async () => {
    const controller = new AbortController();
    platform.intercept = () => {
      controller.abort();
      return new Promise(() => undefined);
    };
    const isEnding = () => controller.signal.aborted;
    const left = await deleteThings(things, context({ signal: controller.signal, isEnding }));
    expect(left).toMatchObject({ things, later: true });
  });

  it('but a worker that is to stop leaves it to another one', async () => {
    const controller = new AbortController();
    platform.intercept = () => {
      controller.abort(new Error('the worker stops'));
      return new Promise(() => undefined);
    };
    await expect(deleteThings(things, context({ signal: controller.signal }))).rejects.toThrow(
      'the worker stops',
    );
  });
});
