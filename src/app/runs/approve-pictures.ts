// Approves pictures that a run holds back because they changed a lot: shows them, asks for confirmation, resumes the run.
import type { Client } from '@temporalio/client';
import type { Paint } from '../../cli/color.ts';
import { confirm } from '../../cli/confirm.ts';
import type { Session } from '../../cli/session.ts';
import { escapeForTerminal } from '../../cli/terminal-text.ts';
import { exitCode } from '../../failures/exit-code.ts';
import type { RunProgress } from '../../plan/contract/contract.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { formatPercent } from '../../plan/helpers/format-percent.ts';
import { withoutUndefined } from '../../plan/helpers/without-undefined.ts';
import { picturesChangedCode } from '../../plan/run/run-cause.ts';
import type { HeldPicture } from '../../store/runs/held-pictures.ts';
import { runEndedError, signalRun, waitForState } from './control.ts';
import { openStoreOfRun } from './open-run-store.ts';
import type { RunReport } from './run-report.ts';
import type { RunSnapshot } from './run-snapshot.ts';

const maxShown = 20;

export interface ApproveFlags {
  yes?: true | undefined;
  dryRun?: true | undefined;
  reason?: string | undefined;
}

/** True if the run waits for the approval of changed pictures, not of its canary. */
export function awaitsPictureApproval(progress: RunProgress | null): boolean {
  return progress?.state === 'paused' && progress.cause?.code === picturesChangedCode;
}

/**
 * Approves only the pictures that were shown. Pictures that the run holds back later need another approval.
 * @throws RenderlineError if the records of the run cannot be read
 */
export async function approvePictures(
  app: Session,
  client: Client,
  { snapshot, report }: { snapshot: RunSnapshot; report: RunReport },
  { yes, dryRun, reason }: ApproveFlags,
): Promise<number> {
  const { run } = snapshot;
  const { output } = app;
  const { heldPictures } = openStoreOfRun(snapshot);
  const waiting = (await heldPictures.waiting()).sort((a, b) => b.share - a.share);
  const { destination } = report.shape;
  const text = () => formatChangedPictures(run, waiting, destination, output.paint);
  if (dryRun) {
    output.result(picturesResult(run, 'no', report.progress, waiting, destination), text);
    return exitCode.done;
  }
  if (!output.json) output.raw(text());
  app.resumeHint = `The pictures still wait. Approve them: renderline approve ${run}`;
  await confirm(app, `Deliver ${formatCount(waiting.length, 'changed picture')}?`, yes === true);
  await heldPictures.accept(waiting);
  const pictures = waiting.length;
  await signalRun(client, 'resume', run, { pictures, ...withoutUndefined({ reason }) });
  const reached = await waitForState(client, run, (now) => !awaitsPictureApproval(now));
  const { progress } = reached;
  if (reached.status === 'cancelled' || reached.status === 'terminated')
    throw runEndedError(reached, 'approve');
  output.result(picturesResult(run, 'now', progress, waiting, destination), () =>
    awaitsPictureApproval(progress)
      ? `${formatCount(waiting.length, 'picture')} approved. More are waiting: renderline approve ${run}`
      : `${formatCount(waiting.length, 'picture')} approved; ${run} continues. Follow it: renderline show ${run} --wait`,
  );
  return exitCode.done;
}

/** Formats what a person needs to decide. */
export function formatChangedPictures(
  run: string,
  waiting: readonly Pick<HeldPicture, 'path' | 'share'>[],
  destination: string | null,
  paint: Paint,
): string {
  const first = escapeForTerminal(waiting.slice(0, maxShown));
  const width = Math.max(0, ...first.map(({ share }) => formatPercent(share).length));
  const rest = waiting.length - first.length;
  const place = destination === null ? '' : ` in ${escapeForTerminal(destination)}`;
  return [
    `${paint('bold', run)}  waits for approval of ${formatCount(waiting.length, 'changed picture')}`,
    ...first.map(({ path, share }) => `  ${formatPercent(share).padStart(width)} changed  ${path}`),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
    `The old pictures are still${place || ' in place'}. Before and after, side by side: renderline report ${run}`,
  ].join('\n');
}

function picturesResult(
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
    remaining: null,
    requests: null,
    destination,
    files: null,
    failures: [],
    pictures: waiting.map(({ key, path, share, before, after }) => {
      return { key, path, change: share, before, after };
    }),
  };
}
