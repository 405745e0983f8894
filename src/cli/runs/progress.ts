// Shows progress on stderr: on a terminal as a table that redraws itself, otherwise as occasional lines.
import { createLogUpdate } from 'log-update';
import type { FollowOptions } from '../../app/runs/follow-run.ts';
import {
  createLineProgress,
  formatProgress,
  type ProgressListener,
  type ProgressReport,
} from '../../app/runs/progress-report.ts';
import { formatSeconds } from '../../plan/helpers/format-seconds.ts';
import type { Totals } from '../../plan/shard/totals.ts';
import { createPaint, isColorUsed, type Paint } from '../color.ts';
import type { Io } from '../io.ts';
import type { Session } from '../session.ts';
import { escapeForTerminal, sanitizeForTerminal } from '../terminal-text.ts';

const barCells = 24;

/** Creates options that follow a run, with progress on stderr, until the user interrupts the command. */
export function followOptions({ io, output }: Session): FollowOptions {
  return {
    leave: () => io.interrupts.handleFirst(),
    progress: startProgress(io, output.quiet || output.logsJson),
  };
}

export function startProgress(io: Io, quiet = false): ProgressListener {
  if (quiet) return { pollIntervalMs: 2_000, show: () => {}, close: () => {} };
  const isPlainTerminal = io.env['TERM'] === 'dumb' || Boolean(io.env['CI']);
  return io.stderr.isTTY === true && !isPlainTerminal
    ? createTableProgress(io)
    : startLineProgress(io);
}

function createTableProgress(io: Io): ProgressListener {
  const draw = createLogUpdate(io.stderr, { showCursor: true });
  const paint = createPaint(io.stderr, io.env);
  return {
    pollIntervalMs: 1_000,
    show: (progress) =>
      draw(
        sanitizeForTerminal(
          formatProgressTable(escapeForTerminal(progress), paint),
          isColorUsed(io.stderr, io.env),
        ),
      ),
    close: () => draw.clear(),
  };
}

function startLineProgress(io: Io): ProgressListener {
  const lines = createLineProgress(
    (line) => io.stderr.write(`${sanitizeForTerminal(line, false)}\n`),
    () => io.now(),
  );
  return { ...lines, show: (progress) => lines.show(escapeForTerminal(progress)) };
}

export function formatProgressTable(progress: ProgressReport, paint: Paint): string {
  const { run, state, elapsedMs, totals, steps, remark } = progress;
  const width = Math.max(4, ...steps.map(({ id }) => id.length));
  const rows = steps.map(({ id, count: { waiting, running, done, failed } }) => {
    const counts = [waiting, running, done].map(formatStepCount).join(' ');
    const failures = formatStepCount(failed);
    return `  ${id.padEnd(width)} ${counts} ${failed > 0 ? paint('red', failures) : failures}`;
  });
  const header = `  ${'step'.padEnd(width)}  waiting     now    done  failed`;
  return [
    `${paint('bold', run)}  ${state}  ${formatSeconds(Math.floor(elapsedMs / 1000))}`,
    `  ${formatBar(totals)} ${formatProgress(progress)}`,
    ...(rows.length === 0 ? [] : [paint('dim', header), ...rows]),
    ...(remark === null ? [] : [paint('yellow', `  ${remark}`)]),
  ].join('\n');
}

function formatBar({ total, complete, failed, skipped }: Totals): string {
  const endedCount = complete + failed + skipped;
  const full = total === 0 ? 0 : Math.floor((endedCount / total) * barCells);
  return '█'.repeat(full) + '░'.repeat(barCells - full);
}

function formatStepCount(value: number): string {
  return String(value).padStart(7);
}
