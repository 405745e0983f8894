// Tests the identity sent to Temporal: from the system, from CI, or by name.
import { hostname, userInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import {
  createClientIdentity,
  parseIdentity,
} from '../../src/temporal/connection/client-identity.ts';

const github = {
  GITHUB_ACTIONS: 'true',
  GITHUB_ACTOR: 'octocat',
  GITHUB_REPOSITORY: 'acme/pictures',
  GITHUB_RUN_ID: '42',
};
const gitlab = {
  GITLAB_CI: 'true',
  GITLAB_USER_LOGIN: 'tanuki',
  CI_PROJECT_PATH: 'acme/pictures',
  CI_JOB_ID: '7',
};
const here = `${userInfo().username}@${hostname()}`;

describe('the identity of this process', () => {
  it.each([
    ['the user of the system, on its machine', {}, here],
    ['the starter of a GitHub job, and the job', github, 'octocat@github/acme/pictures/42'],
    ['the starter of a GitLab job, and the job', gitlab, 'tanuki@gitlab/acme/pictures/7'],
    ['a given name', { RENDERLINE_ACTOR: 'anna@example.com' }, `anna@example.com@${hostname()}`],
    [
      'a given name rather than that of a job',
      { ...github, RENDERLINE_ACTOR: 'anna' },
      'anna@github/acme/pictures/42',
    ],
    [
      'a name without its line break and control characters',
      { RENDERLINE_ACTOR: 'anna\nroot\u202e' },
      `annaroot@${hostname()}`,
    ],
    ['the user of the system if the name is empty', { RENDERLINE_ACTOR: '' }, here],
  ])('the identity of this process is %s', (_what, env, identity) => {
    expect(createClientIdentity(env)).toBe(identity);
  });

  it('the identity of this process includes the program that acts for a person', () => {
    expect(createClientIdentity({ RENDERLINE_ACTOR: 'anna' }, 'mcp')).toBe(
      `anna@${hostname()} (mcp)`,
    );
  });

  it('the identity of this process has a bounded length', () => {
    expect(createClientIdentity({ RENDERLINE_ACTOR: 'a'.repeat(9_000) })).toBe(
      `${'a'.repeat(100)}@${hostname()}`,
    );
  });
});

describe('the parts of an identity', () => {
  it.each([
    ['anna@studio-2', { user: 'anna', host: 'studio-2', via: null }],
    ['anna@example.com@studio-2', { user: 'anna@example.com', host: 'studio-2', via: null }],
    ['anna@studio-2 (ui)', { user: 'anna', host: 'studio-2', via: 'ui' }],
    ['temporal-ui', { user: 'temporal-ui', host: '', via: null }],
    ['anna@studio-2 (other)', { user: 'anna', host: 'studio-2 (other)', via: null }],
    ['', { user: '', host: '', via: null }],
  ])('the identity "%s" is split into its parts', (identity, parts) => {
    expect(parseIdentity(identity)).toEqual(parts);
  });
});
