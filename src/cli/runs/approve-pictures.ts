// Approves pictures that a run holds back since they have changed much: shows them, asks, and has the run go on.
import type { Client } from '@temporalio/client';
import { exitCode } from '../../failures/exit-code.ts';
import type { RunProgress } from '../../plan/contract.ts';
import { count } from '../../plan/count.ts';
import { percent } from '../../plan/percent.ts';
import { picturesChanged } from '../../plan/run-cause.ts';
import { withoutUndefined } from '../../plan/without-undefined.ts';
import type { HeldPicture } from '../../store/runs/held-pictures.ts';
import type { Paint } from '../color.ts';
import { confirm } from '../confirm.ts';
import { spelledOut } from '../screen-text.ts';
import type { Session } from '../session.ts';
import { ask, runEnded, untilReached } from './control.ts';
import type { RunReport } from './run-report.ts';
import type { RunSnapshot } from './run-snapshot.ts';
import { storeOfRun } from './run-store-of.ts';

const shownAtMost = 20;

export interface ApproveFlags {
  yes?: true | undefined;
  dryRun?: true | undefined;
  reason?: string | undefined;
}

/** True where the run waits for somebody who looks at pictures, and not for its first assets. */
export function asksForPictures(progress: RunProgress | null): boolean {
  return progress?.state === 'paused' && progress.cause?.code === picturesChanged;
}

/**
 * Accepts the pictures that were shown, and no others: what the run holds back later it asks about again.
 * @throws CliError where the records of the run are out of reach
 */
export async function approvePictures(
  session: Session,
  client: Client,
  { snapshot, report }: { snapshot: RunSnapshot; report: RunReport },
  { yes, dryRun, reason }: ApproveFlags,
): Promise<number> {
  const { run } = snapshot;
  const { output } = session;
  const { held } = storeOfRun(snapshot);
  const waiting = (await held.waiting()).sort((a, b) => b.share - a.share);
  const { destination } = report.shape;
  const text = () => picturesText(run, waiting, destination, output.paint);
  if (dryRun) {
    output.answer(shapeOf(run, 'no', report.progress, waiting, destination), text);
    return exitCode.done;
  }
  if (!output.json) output.raw(text());
  session.wayBack = `They still wait. Approve them: renderline approve ${run}`;
  await confirm(session, `Deliver ${count(waiting.length, 'changed picture')}?`, yes === true);
  await held.accept(waiting);
  const pictures = waiting.length;
  await ask(client, 'resume', run, { pictures, ...withoutUndefined({ reason }) });
  const reached = await untilReached(client, run, (now) => !asksForPictures(now));
  const { progress } = reached;
  if (reached.status === 'cancelled' || reached.status === 'terminated')
    throw runEnded(reached, 'approve');
  output.answer(shapeOf(run, 'now', progress, waiting, destination), () =>
    asksForPictures(progress)
      ? `${count(waiting.length, 'picture')} approved. More are waiting: renderline approve ${run}`
      : `${count(waiting.length, 'picture')} approved; ${run} goes on. Follow it: renderline show ${run} --wait`,
  );
  return exitCode.done;
}

/** Text that a person reads before deciding. */
export function picturesText(
  run: string,
  waiting: readonly Pick<HeldPicture, 'path' | 'share'>[],
  destination: string | null,
  paint: Paint,
): string {
  const first = spelledOut(waiting.slice(0, shownAtMost));
  const width = Math.max(0, ...first.map(({ share }) => percent(share).length));
  const rest = waiting.length - first.length;
  const place = destination === null ? '' : ` in ${spelledOut(destination)}`;
  return [
    `${paint('bold', run)}  waits for approval of ${count(waiting.length, 'changed picture')}`,
    ...first.map(({ path, share }) => `  ${percent(share).padStart(width)} changed  ${path}`),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
    `The old ones are still${place || ' in place'}. Before and after, side by side: renderline report ${run}`,
  ].join('\n');
}

function shapeOf(
  run: string,
  approved: 'now' | 'no',
  progress: RunProgress | null,
  waiting: readonly HeldPicture[],
  destination: string | null,
) {
  return {
    schema: 'renderline/approve/v1',
    run,
    approved,
    state: progress?.state ?? 'running',
    canary: null,
    left: null,
    requests: null,
    destination,
    files: null,
    failures: [],
    pictures: waiting.map(({ key, path, share, before, after }) => {
      return { key, path, change: share, before, after };
    }),
  };
}
