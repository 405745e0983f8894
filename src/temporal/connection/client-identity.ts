// The identity that this process sends to Temporal with every request: who acts, and on which machine.
import { hostname, userInfo } from 'node:os';
import type { Environment } from '../../settings/environment.ts';

/** Programs other than the command line that act for a person. */
export const programs = ['ui', 'mcp', 'http', 'library'] as const;
export type ActingProgram = (typeof programs)[number];

export interface Person {
  /** User in the identity. Empty if the identity contains no user. */
  user: string;
  /** A machine or a CI job. */
  host: string;
  /** The program that acted. Null for the command line. */
  via: ActingProgram | null;
}

/**
 * Returns `anna@studio-2`, or `anna@studio-2 (mcp)`. The process claims this identity, and nothing verifies it. In a CI
 * job, the user is the one who started the job, and the host is the job. `RENDERLINE_ACTOR` overrides the user.
 */
export function createClientIdentity(env: Environment, via?: ActingProgram): string {
  const job = readCiJob(env);
  const user =
    toIdentityText(env['RENDERLINE_ACTOR']) || toIdentityText(job?.user) || readUserName();
  const machine = toIdentityText(job?.machine).replaceAll('@', '-') || hostname();
  return `${user}@${machine}${via === undefined ? '' : ` (${via})`}`;
}

const programSuffix = new RegExp(` \\((${programs.join('|')})\\)$`, 'u');

/** Parses an identity. Without `@`, the whole text is the user. */
export function parseIdentity(identity: string): Person {
  const via = programs.find((name) => name === programSuffix.exec(identity)?.[1]) ?? null;
  const person = identity.replace(programSuffix, '');
  const index = person.lastIndexOf('@');
  if (index === -1) return { user: person, host: '', via };
  return { user: person.slice(0, index), host: person.slice(index + 1), via };
}

function readCiJob(env: Environment): { user: string | undefined; machine: string } | null {
  if (env['GITHUB_ACTIONS'] === 'true') {
    const machine = `github/${env['GITHUB_REPOSITORY'] ?? ''}/${env['GITHUB_RUN_ID'] ?? ''}`;
    return { user: env['GITHUB_ACTOR'], machine };
  }
  if (env['GITLAB_CI'] === 'true') {
    const machine = `gitlab/${env['CI_PROJECT_PATH'] ?? ''}/${env['CI_JOB_ID'] ?? ''}`;
    return { user: env['GITLAB_USER_LOGIN'], machine };
  }
  return null;
}

const maxIdentityLength = 100;

/** Returns text in one line of at most `maxIdentityLength` characters, because the server limits identities. */
function toIdentityText(text: string | undefined): string {
  return (text ?? '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, '')
    .trim()
    .slice(0, maxIdentityLength);
}

/** Returns the name of the user, or the process id if the system has no name for the user, as in some containers. */
function readUserName(): string {
  try {
    return userInfo().username || String(process.pid);
  } catch {
    return String(process.pid);
  }
}
