// Decides whether a process prints only JSON log lines, for machines that collect its output. Remarks and errors are
// then log lines too.
import type { Environment } from './environment.ts';

const logFormatVariable = 'RENDERLINE_LOG_FORMAT';

/** True if each line must be a JSON object. */
export function isJsonLogFormat(env: Environment): boolean {
  return env[logFormatVariable] === 'json';
}

const levels = { info: 30, error: 50 } as const;

/** Returns the fields at the start of each line of the logger. */
export function logFields(level: keyof typeof levels, message: string, nowMs: number): object {
  return { level: levels[level], time: new Date(nowMs).toISOString(), msg: message };
}
