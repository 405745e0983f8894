// Whether a process prints only JSON log lines, because its output is collected by machines. Then remarks and errors are log
// lines too.
import type { Environment } from './environment.ts';

export const logFormatVariable = 'RENDERLINE_LOG_FORMAT';

/** True if each line must be a JSON object. */
export function isLogJson(env: Environment): boolean {
  return env[logFormatVariable] === 'json';
}

const levels = { info: 30, error: 50 } as const;

/** The fields with which each line of the logger begins. */
export function logFields(level: keyof typeof levels, message: string, nowMs: number): object {
  return { level: levels[level], time: new Date(nowMs).toISOString(), msg: message };
}
