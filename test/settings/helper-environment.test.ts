// Tests that helper programs get no secrets.
import { expect, it } from 'vitest';
import { helperEnvironmentOf } from '../../src/settings/helper-environment.ts';
import { runCommand } from '../../src/temporal/server/run-command.ts';

it.each([
  ['PATH', true],
  ['HOME', true],
  ['LC_ALL', true],
  ['https_proxy', true],
  ['HTTPS_PROXY', true],
  ['GOPROXY', true],
  ['GOBIN', true],
  ['JAVA_HOME', true],
  ['RENDERLINE_API_KEY', false],
  ['RENDERLINE_WEBHOOK_SECRET', false],
  ['AWS_SECRET_ACCESS_KEY', false],
  ['GITHUB_TOKEN', false],
  ['TEMPORAL_API_KEY', false],
  ['NODE_OPTIONS', false],
  ['constructor', false],
])('the variable %s is passed on: %s', (name, isPassed) => {
  expect(Object.hasOwn(helperEnvironmentOf({ [name]: 'value' }), name)).toBe(isPassed);
});

it('a command receives no other variables', async () => {
  const env = { PATH: process.env['PATH'], LANG: 'C', RENDERLINE_API_KEY: 'key-of-ours' };
  const output = await runCommand('env', [], { env, timeoutMs: 60_000 });
  expect(output).toContain('LANG=C');
  expect(output).not.toContain('key-of-ours');
});

it('files that a command writes are private to this user', async () => {
  const env = { PATH: process.env['PATH'] };
  expect(await runCommand('sh', ['-c', 'umask'], { env, timeoutMs: 60_000 })).toMatch(/^0*77\s*$/);
});
