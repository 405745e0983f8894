// The general pause: `pause --all` holds all runs of a task queue, or of one pipeline, until `resume --all`. Pure.
import { quoteForShell } from '../helpers/quote-for-shell.ts';
import type { RunCause } from './run-cause.ts';

/** Code of the cause that holds a run during a general pause. */
export const allPausedCode = 'ALL_PAUSED';

export interface PauseScope {
  taskQueue: string;
  /** Name of the pipeline. Null means all pipelines of the task queue. */
  pipeline: string | null;
}

export interface GeneralPause extends PauseScope {
  /** Who paused: the identity that the client stated. */
  by: string;
  /** When the pause started, by the server's clock, ISO 8601. */
  at: string;
  reason: string;
}

/** Returns one line without a full stop that says what is paused, since when, by whom and why. */
export function describePause({ taskQueue, pipeline, by, at, reason }: GeneralPause): string {
  const scope = pipeline === null ? `on task queue "${taskQueue}"` : `of pipeline "${pipeline}"`;
  return `Everything ${scope} has been paused since ${at.slice(0, 19)}Z by ${by}: ${reason}`;
}

export function resumeAllCommand({ pipeline }: Pick<PauseScope, 'pipeline'>): string {
  const option = pipeline === null ? '' : ` --pipeline ${quoteForShell(pipeline)}`;
  return `renderline resume --all${option}`;
}

/** Returns the cause that runs show while the pause holds them. */
export function causeOfPause(pause: GeneralPause): RunCause {
  const fix = `When the reason no longer applies: ${resumeAllCommand(pause)}`;
  return { code: allPausedCode, message: describePause(pause), fix, kind: 'later' };
}
