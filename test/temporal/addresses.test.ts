import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cacheDirectory } from '../../src/settings/cache-dir.ts';
import { probeAddress, splitAddress } from '../../src/temporal/connection/address-probe.ts';
import { findFreePorts } from '../../src/temporal/server/free-ports.ts';
import { workflowUrl } from '../../src/temporal/ui-links.ts';

test.each([
  ['localhost:7233', 'localhost', 7233],
  ['temporal.example', 'temporal.example', 7233],
  ['10.0.0.7:80', '10.0.0.7', 80],
  ['[::1]:7000', '::1', 7000],
  ['[fe80::1]', 'fe80::1', 7233],
  [':7233', '', 7233],
])('the address %s has the host "%s" and the port %i', (address, host, port) => {
  expect(splitAddress(address)).toEqual({ host, port });
});

test.each([
  [{ RENDERLINE_CACHE_DIR: '/c', XDG_CACHE_HOME: '/x' }, '/c'],
  [{ XDG_CACHE_HOME: '/x' }, '/x/renderline'],
  [{ XDG_CACHE_HOME: '', RENDERLINE_CACHE_DIR: '' }, join(homedir(), '.cache', 'renderline')],
  [{}, join(homedir(), '.cache', 'renderline')],
])('the environment %j determines the cache folder', (env, folder) => {
  expect(cacheDirectory(env)).toBe(folder);
});

test('free ports are different, free, and on this host only', async () => {
  const ports = await findFreePorts(20);
  expect(new Set(ports).size).toBe(20);
  const [port] = ports;
  expect(await probeAddress(`127.0.0.1:${port}`, 1_000)).toBe('connection refused');
  const server = createServer().listen(port, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  expect(await probeAddress(`127.0.0.1:${port}`, 1_000)).toBeUndefined();
  server.close();
});

describe('the page of a workflow', () => {
  const ui = 'http://127.0.0.1:8233';

  test.each([
    [ui, 'default', 'shoes', undefined, `${ui}/namespaces/default/workflows/shoes`],
    [`${ui}/`, 'team', 'shoes', 'r-1', `${ui}/namespaces/team/workflows/shoes/r-1`],
    [ui, 'a', 'n/2026 11', undefined, `${ui}/namespaces/a/workflows/n%2F2026%2011`],
    [
      'https://cloud.example/ui//',
      'team.acc',
      'x?y#z',
      undefined,
      'https://cloud.example/ui/namespaces/team.acc/workflows/x%3Fy%23z',
    ],
  ])(
    'workflowUrl(%s, %s, %s, %s) returns the page of the workflow',
    (address, namespace, workflowId, runId, page) => {
      expect(workflowUrl(address, namespace, workflowId, runId)).toBe(page);
    },
  );

  test('any id can be read back from its page', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (id) => {
        const last = new URL(workflowUrl(ui, 'default', `x${id}`)).pathname.split('/').at(-1);
        expect(decodeURIComponent(last ?? '')).toBe(`x${id}`);
      }),
    );
  });
});
