// Changed pictures: an interrupted approval is completed, and a page decides only about pictures that it has shown.
import { describe, expect, test, vi } from 'vitest';
import { approve, previewApproval } from '../../../src/app/approvals/approval.ts';
import { approveOnPage, markOfPicture, nameOfPicture } from '../../../src/app/approvals/review.ts';
import { assertLinkUsable, useLink } from '../../../src/app/approvals/use-link.ts';
import type { DecisionOptions } from '../../../src/app/approvals/verdicts.ts';
import type { RunProgress } from '../../../src/plan/contract/contract.ts';
import type { HeldPicture } from '../../../src/store/runs/pictures/held-pictures.ts';
import {
  approvedBefore,
  decisionOf,
  heldPicture,
  pausedRun,
  run,
  waitsForCanary,
  waitsForPictures,
} from './_paused-run.ts';

describe('an approval of changed pictures', () => {
  test.each<[string, DecisionOptions]>([
    ['of all pictures', {}],
    ['with rejections', { reject: 'true' }],
    ['of some pictures', { only: ['a'] }],
  ])(
    'an approval %s that did not reach the run is completed by the same command',
    async (_what, options) => {
      const { app, store, signals, state } = pausedRun(waitsForPictures);
      await store.heldPictures.write(heldPicture('a'));
      state.isAway = true;
      const first = await previewApproval(app, run);
      await expect(approve(app, first)).rejects.toThrow('Temporal is away');
      expect(await store.heldPictures.waiting()).toEqual([]);

      state.isAway = false;
      const again = await previewApproval(app, run, options);
      const { shape } = await approve(app, again, { reason: 'too dark' });
      expect(shape).toMatchObject({ approved: 'now', state: 'running' });
      const note = { pictures: 0, rejected: 0, reason: 'too dark' };
      expect(signals).toEqual([['resume', undefined, note]]);
    },
  );

  test('an approval of pictures that another person has already decided resumes the run if the run is still waiting', async () => {
    const { app, store, signals } = pausedRun(waitsForPictures);
    await store.heldPictures.write(heldPicture('a'));
    const preview = await previewApproval(app, run);
    await store.heldPictures.decide(heldPicture('a'), decisionOf('rejected'));
    const { shape } = await approve(app, preview);
    expect(shape.earlier).toEqual([{ key: 'a', node: 'deliver', ...decisionOf('rejected') }]);
    expect(signals.map(([name]) => name)).toEqual(['resume']);
  });

  test('an approval sends nothing to a run that has been resumed in the meantime', async () => {
    const { app, store, signals, state } = pausedRun(waitsForPictures);
    await store.heldPictures.write(heldPicture('a'));
    const preview = await previewApproval(app, run);
    await store.heldPictures.decide(heldPicture('a'), decisionOf('approved'));
    state.progress = { ...state.progress, state: 'running', cause: null };
    await approve(app, preview);
    expect(signals).toEqual([]);
  });

  test('an approval without access to the records of the run fails with RECORDS_UNREADABLE', async () => {
    const { app } = pausedRun(waitsForPictures);
    await expect(previewApproval(app, run)).rejects.toMatchObject({
      code: 'RECORDS_UNREADABLE',
      message: expect.stringContaining('Changed pictures of r-1 are waiting for a decision'),
    });
  });
});

describe('a page of changed pictures', () => {
  const [a, b, c] = [heldPicture('a'), heldPicture('b'), heldPicture('c')];
  const sent = (shown: readonly HeldPicture[] | null, ...rejected: HeldPicture[]) => ({
    rejected: new Set(rejected.map(nameOfPicture)),
    seen: shown && new Set(shown.map(markOfPicture)),
    reason: rejected.length > 0 ? 'too blue' : undefined,
  });
  /** A run that waits for these pictures. */
  async function waitingFor(...pictures: HeldPicture[]) {
    const paused = pausedRun(waitsForPictures);
    for (const picture of pictures) await paused.store.heldPictures.write(picture);
    return paused;
  }

  test('a page approves the pictures that it has shown, except rejected ones', async () => {
    const { app, store, signals } = await waitingFor(a, b);
    expect(await approveOnPage(app, run, sent([a, b], b))).toEqual([]);
    const decided = (await store.heldPictures.all()).map(({ decision }) => decision?.outcome);
    expect(decided).toEqual(['approved', 'rejected']);
    const note = { pictures: 1, rejected: 1, reason: 'too blue' };
    expect(signals).toEqual([['resume', undefined, note]]);
  });

  test.each<[string, HeldPicture[]]>([
    ['another waiting picture', [{ ...a, decision: decisionOf('approved') }, b, c]],
    ['the new version of a picture', [a, heldPicture('b', 'newer b')]],
  ])('a page decides nothing if it has not shown %s', async (_what, held) => {
    const { app, store, signals } = await waitingFor(...held);
    await expect(approveOnPage(app, run, sent([a, b]))).rejects.toMatchObject({
      code: 'NOT_CONFIRMED',
      message:
        'Since the page was loaded, 1 more picture or asset needs a decision. Nothing was decided.',
    });
    expect(await store.heldPictures.all()).toEqual(held.map((one) => expect.objectContaining(one)));
    expect(signals).toEqual([]);
  });

  test.each<[string, Partial<RunProgress>]>([
    ['its first assets', waitsForCanary],
    ['nothing', approvedBefore],
  ])(
    'a page approves nothing if the run now waits for %s, and its link stays valid',
    async (_what, progress) => {
      const { app, signals } = pausedRun(progress);
      const link = { id: 'l-1', run };
      const approval = () => approveOnPage(app, run, sent([a, b], b));
      await expect(useLink(app, run, link, approval)).rejects.toMatchObject({
        code: 'NOT_CONFIRMED',
        message: expect.stringContaining('no longer waiting for these decisions'),
      });
      await assertLinkUsable(app, link, true);
      expect(signals).toEqual([]);
    },
  );

  test('a decision is made again if the server ended before it was stored, and once it is stored, the link is used', async () => {
    const { app, store, signals } = await waitingFor(a, b);
    const link = { id: 'l-1', run };
    const ended = new Promise<never>(() => undefined);
    let isStarted = false;
    void useLink(app, run, link, () => {
      isStarted = true;
      return ended;
    });
    await vi.waitUntil(() => isStarted);
    const approval = () => approveOnPage(app, run, sent([a, b], b));
    expect(await useLink(app, run, link, approval)).toEqual([]);
    const decided = (await store.heldPictures.all()).map(({ decision }) => decision?.outcome);
    expect(decided).toEqual(['approved', 'rejected']);
    expect(signals).toHaveLength(1);
    await expect(useLink(app, run, link, approval)).rejects.toMatchObject({ code: 'LINK_USED' });
    await expect(assertLinkUsable(app, link, true)).rejects.toMatchObject({ code: 'LINK_USED' });
  });

  test('the page for the first assets approves them, but not changed pictures', async () => {
    const { app, signals } = pausedRun(waitsForCanary);
    expect(await approveOnPage(app, run, sent(null))).toEqual([]);
    expect(signals.map(([name]) => name)).toEqual(['approve']);
    const other = await waitingFor(a);
    await expect(approveOnPage(other.app, run, sent(null))).rejects.toMatchObject({
      code: 'NOT_CONFIRMED',
    });
    expect(other.signals).toEqual([]);
  });

  test('a page that is submitted again completes an approval that did not reach the run', async () => {
    const { app, signals, state } = await waitingFor(a, b);
    state.isAway = true;
    await expect(approveOnPage(app, run, sent([a, b], b))).rejects.toThrow('Temporal is away');
    state.isAway = false;
    expect(await approveOnPage(app, run, sent([a, b], b))).toEqual([]);
    expect(signals.map(([name]) => name)).toEqual(['resume']);
  });

  test('a page shows the second person the earlier decisions, and stores no reason for approvals', async () => {
    const d = { ...heldPicture('d'), decision: decisionOf('approved') };
    const [first, second] = [decisionOf('approved'), decisionOf('rejected')];
    const { app, store } = await waitingFor(
      { ...a, decision: first },
      { ...b, decision: second },
      c,
      d,
    );
    // The person rejected `a` and approved the others.
    expect(await approveOnPage(app, run, sent([a, b, c, d], a))).toEqual([
      { key: 'a', node: 'deliver', ...first },
      { key: 'b', node: 'deliver', ...second },
    ]);
    const decided = (await store.heldPictures.read(c))?.decision;
    expect(decided).toEqual({ outcome: 'approved', by: 'ann@studio', at: expect.any(String) });
  });
});
