// Who acts, and where, as Temporal records it with everything that this process asks of it.
import { hostname, userInfo } from 'node:os';
import type { Environment } from '../settings/environment.ts';

/** What carries out commands for a person, where it is not the command line. */
export const programs = ['ui', 'mcp', 'library'] as const;
export type Program = (typeof programs)[number];

export interface Person {
  /** Empty where nobody is named. */
  user: string;
  /** A machine, or a job of CI. */
  host: string;
  /** null: the command line. */
  via: Program | null;
}

/**
 * `anna@studio-2`, or `anna@studio-2 (mcp)`. A statement of this process: nobody proves it.
 * In a job of CI the user is who started the job, and the host names the job. `RENDERLINE_ACTOR` names another user.
 */
export function identityHere(env: Environment, via?: Program): string {
  const job = ciJob(env);
  const user = plain(env['RENDERLINE_ACTOR']) || plain(job?.user) || userName();
  const place = plain(job?.place).replaceAll('@', '-') || hostname();
  return `${user}@${place}${via === undefined ? '' : ` (${via})`}`;
}

const ofProgram = new RegExp(` \\((${programs.join('|')})\\)$`, 'u');

/** The parts of an identity. */
export function personOf(identity: string): Person {
  const via = programs.find((name) => name === ofProgram.exec(identity)?.[1]) ?? null;
  const person = identity.replace(ofProgram, '');
  const at = person.lastIndexOf('@');
  if (at === -1) return { user: person, host: '', via };
  return { user: person.slice(0, at), host: person.slice(at + 1), via };
}

function ciJob(env: Environment): { user: string | undefined; place: string } | null {
  if (env['GITHUB_ACTIONS'] === 'true') {
    const place = `github/${env['GITHUB_REPOSITORY'] ?? ''}/${env['GITHUB_RUN_ID'] ?? ''}`;
    return { user: env['GITHUB_ACTOR'], place };
  }
  if (env['GITLAB_CI'] === 'true') {
    const place = `gitlab/${env['CI_PROJECT_PATH'] ?? ''}/${env['CI_JOB_ID'] ?? ''}`;
    return { user: env['GITLAB_USER_LOGIN'], place };
  }
  return null;
}

const longest = 100;

/** One line of a bounded length, as the server takes identities. */
function plain(text: string | undefined): string {
  return (text ?? '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, '')
    .trim()
    .slice(0, longest);
}

/** The number of the process where the system has no name for its user, as in some containers. */
function userName(): string {
  try {
    return userInfo().username || String(process.pid);
  } catch {
    return String(process.pid);
  }
}
