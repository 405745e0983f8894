// The app of one request: its notes and its end.
import { expect, test } from 'vitest';
import { App } from '../../src/app/app.ts';
import { approveOnPage, decideByName } from '../../src/app/approvals/review.ts';
import { RequestApp } from '../../src/app/request-app.ts';
import { startRecentRerun } from '../../src/app/rerun/rerun-recent.ts';
import { controlRun } from '../../src/app/runs/control.ts';
import { nameOfWaiting } from '../../src/app/runs/waiting-assets.ts';
import type { RunProgress } from '../../src/plan/contract/contract.ts';
import { pausedRun, run, waitsForCanary, waitsForDecisions } from './approvals/_paused-run.ts';

const parent = new App({ env: { A: 'b' }, cwd: '/tmp', via: 'ui', folders: ['/tmp'] });

test('the app of a request uses the settings of its front end, and keeps its own notes', () => {
  const { signal } = new AbortController();
  const [one, other] = [new RequestApp(parent, signal), new RequestApp(parent, signal)];
  const { env, cwd, via, folders } = one;
  expect({ env, cwd, via, folders }).toEqual({
    env: { A: 'b' },
    cwd: '/tmp',
    via: 'ui',
    folders: ['/tmp'],
  });
  one.note('first\n\n  second \u001b]0;title\u0007');
  expect([one.noteLines, other.noteLines]).toEqual([['first', '  second '], []]);
});

test('the app of a request is interrupted when the request is aborted', async () => {
  const controller = new AbortController();
  const app = new RequestApp(parent, controller.signal);
  expect(await app.complete(async () => 7)).toBe(7);
  const endless = app.complete(() => new Promise(() => {}));
  controller.abort();
  await expect(endless).rejects.toMatchObject({ code: 'INTERRUPTED' });
  await expect(app.complete(() => new Promise(() => {}))).rejects.toMatchObject({
    code: 'INTERRUPTED',
  });
});

const wholeApproval = { rejected: new Set<string>(), seen: null, reason: undefined };
const verdicts = new Map([[nameOfWaiting({ node: 'judge', key: 'a' }), 'approve' as const]]);
const decisions = { verdicts, rest: 'wait' as const, seen: new Set<string>() };

/** A request to a run, on a server that aborts the request on each call of `abortOn`. */
async function requestTo(progress: Partial<RunProgress>, abortOn: 'describe' | 'signal') {
  const paused = pausedRun(progress);
  const { approvals } = paused.store;
  const review = { type: 'local', path: '/review' };
  await approvals.show({ shard: 0, node: 'judge', review, assets: [{ key: 'a', pictures: [] }] });
  const controller = new AbortController();
  const app = new RequestApp(paused.app, controller.signal);
  app.temporal = paused.app.temporal;
  const handle = app.temporal?.client.workflow.getHandle(run) as unknown as Record<string, unknown>;
  const call = handle[abortOn] as (...args: unknown[]) => unknown;
  handle[abortOn] = (...args: unknown[]) => {
    controller.abort();
    return call(...args);
  };
  let end: Promise<unknown> = Promise.resolve();
  const complete = (act: (app: RequestApp) => Promise<unknown>) =>
    app.complete(() => {
      end = act(app);
      return end;
    });
  return { ...paused, approvals, complete, whenEnded: () => end };
}

test.each<[string, Partial<RunProgress>, (app: RequestApp) => Promise<unknown>]>([
  ['a pause', {}, (app) => controlRun(app, 'pause', run)],
  ['a resume', { state: 'paused' }, (app) => controlRun(app, 'resume', run)],
  ['a cancellation', {}, (app) => controlRun(app, 'cancel', run)],
  ['an approval', waitsForCanary, (app) => approveOnPage(app, run, wholeApproval)],
  ['a decision', waitsForDecisions, (app) => decideByName(app, run, decisions)],
])('%s that is interrupted while it reads the run has no effect', async (_what, progress, act) => {
  const { complete, whenEnded, signals, approvals } = await requestTo(progress, 'describe');
  await expect(complete(act)).rejects.toMatchObject({
    code: 'INTERRUPTED',
    message: 'Interrupted before anything was changed.',
  });
  await expect(whenEnded()).rejects.toMatchObject({ code: 'INTERRUPTED' });
  expect(signals).toEqual([]);
  expect((await approvals.decisions('judge')).size).toBe(0);
});

test('an approval that has been sent is answered with its outcome, even if the request is aborted', async () => {
  const { complete, signals } = await requestTo(waitsForCanary, 'signal');
  expect(await complete((app) => approveOnPage(app, run, wholeApproval))).toEqual([]);
  expect(signals).toEqual([['approve', {}]]);
});

test('reruns that are interrupted report how many of them started', async () => {
  const controller = new AbortController();
  const app = new RequestApp(parent, controller.signal);
  const previews = [1, 2].map((n) => ({ shape: { rerun: { run: `r-${n}` } } }));
  const shape = { refused: [] };
  controller.abort();
  // The reruns read only these fields before they start.
  await expect(startRecentRerun(app, { shape, previews } as never)).rejects.toMatchObject({
    code: 'INTERRUPTED',
    message: 'Interrupted: 0 of 2 reruns started.',
  });
});
