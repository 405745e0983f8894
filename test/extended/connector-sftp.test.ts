// The SFTP connector on OpenSSH's server: the common suite for connectors, and cases of servers.
import { readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDeps } from '../../activities/deps.ts';
import { discover } from '../../activities/run/discover.ts';
import type { Client } from '../../src/api/client.ts';
import { openConnector } from '../../src/connectors/index.ts';
import { proveRecords } from '../../src/store/claims/prove-records.ts';
import { collect, putFile, tempFolder } from '../connectors/_temp-folder.ts';
import { testConnector } from '../connectors/connector.testsuite.ts';
import { noWorkflows, runContext } from '../engine/_context.ts';
import { noStages } from '../plan/_steps.ts';
import { sftpCredentials, sftpServer, useSftp } from '../system/_sftp.ts';
import type { SftpFault } from '../system/_sftp-faults.ts';
import { openLink } from '../system/_slow-link.ts';

const sftp = useSftp();
const text = (value: string) => new TextEncoder().encode(value);
const connectTo = (path: string, more: Record<string, string> = {}, env = sftpCredentials) =>
  openConnector(
    { ...sftp.spec, path, privateKeyFrom: 'RENDERLINE_SECRET_TEST_SFTP_KEY', ...more },
    env,
  );

describe.skipIf(sftpServer.problem !== null)('SFTP', () => {
  testConnector('a folder of a server', {
    connect: async () => connectTo(await sftp.makeFolder()),
    connectNowhere: async () => connectTo(join(await sftp.makeFolder(), 'not', 'there')),
  });

  it.each<[SftpFault, string, RegExp]>([
    ['rename overwrites', 'RECORDS_UNSAFE', /a second create of the same file was accepted$/],
    ['no rename', 'RECORDS_UNSAFE', /a conditional create is refused: /],
    ['no posix-rename', 'CONNECTOR_MISCONFIGURED', /posix-rename@openssh\.com/],
  ])('a server with "%s" cannot hold records', async (lie, code, what) => {
    const folder = await sftp.makeFolder();
    sftp.setFault(lie);
    onTestFinished(() => sftp.setFault(null));
    await expect(proveRecords(connectTo(folder))).rejects.toMatchObject({
      code,
      what: expect.stringMatching(what) as string,
    });
    // A file is renamed before it is deleted, so a server without renames keeps the file of the trial.
    const left = (await readdir(folder, { recursive: true })).filter((path) =>
      path.endsWith('json'),
    );
    expect(left).toHaveLength(lie === 'no rename' ? 1 : 0);
  });

  it('the connector reports, before it writes, that a server cannot replace files, and suggests a fix', async () => {
    const folder = await sftp.makeFolder();
    await connectTo(folder).checkWritable?.();
    sftp.setFault('no posix-rename');
    onTestFinished(() => sftp.setFault(null));
    await expect(connectTo(folder).checkWritable?.()).rejects.toMatchObject({
      code: 'CONNECTOR_MISCONFIGURED',
      what: `cannot write SFTP folder 127.0.0.1:${sftp.spec.port}${folder}: the server cannot replace files in one step (posix-rename@openssh.com)`,
      fix: 'Use a server that supports this, such as OpenSSH',
    });
    expect(await readdir(folder)).toEqual([]);
  });

  it('a run whose destination is a server without posix-rename stops before it lists, writes or requests anything', async () => {
    const [models, records, pictures] = [
      await tempFolder(),
      await tempFolder(),
      await sftp.makeFolder(),
    ];
    await putFile(models, 'lamp.glb', 'lamp', 1_000_000);
    for (const [name, value] of Object.entries(sftpCredentials)) vi.stubEnv(name, value);
    sftp.setFault('no posix-rename');
    onTestFinished(() => {
      vi.unstubAllEnvs();
      sftp.setFault(null);
    });
    const client = new Proxy({} as Client, { get: () => () => undefined });
    const deps = createDeps({ client, workflows: noWorkflows, secrets: [] });
    const context = runContext({
      connectors: {
        models: { type: 'local', path: models },
        pictures: {
          ...sftp.spec,
          path: pictures,
          privateKeyFrom: 'RENDERLINE_SECRET_TEST_SFTP_KEY',
        },
      },
      records: { type: 'local', path: records },
    });
    const config = { connector: 'models', include: ['**/*.glb'], exclude: [], stableFor: '1s' };
    const discovery = { node: 'take', activity: 'connector_poll', config, key: null };
    const connectorUses = [{ activity: 'export', connector: 'pictures' }];
    const more = { stages: noStages, deliveries: [], shardSize: 10, connectorUses };
    const discovering = new MockActivityEnvironment().run(() =>
      discover({ context, discovery, ...more }, deps),
    );
    await expect(discovering).rejects.toMatchObject({
      details: [{ code: 'CONNECTOR_MISCONFIGURED', kind: 'never' }],
    });
    expect([await readdir(records), await readdir(pictures)]).toEqual([[], []]);
  });

  it('the connector accepts either a password or a key', async () => {
    const folder = await sftp.makeFolder();
    const spec = {
      ...sftp.spec,
      path: folder,
      passwordFrom: 'RENDERLINE_SECRET_TEST_SFTP_PASSWORD',
    };
    await openConnector(spec, sftpCredentials).write('one', text('x'));
    expect(await readdir(folder)).toEqual(['one']);
  });

  it('the connector fails only the file whose name is taken', async () => {
    const folder = await sftp.makeFolder();
    await putFile(folder, 'lamp.png/inside');
    await putFile(folder, 'chair');
    const connector = connectTo(folder);
    for (const path of ['lamp.png', 'chair/front.png']) {
      const staged = await connector.stage(path);
      await staged.write(text('x'));
      await expect(staged.commit()).rejects.toMatchObject({
        code: 'FILE_REFUSED',
        isOfOneFile: true,
      });
      await staged.discard();
    }
    await connector.write('sofa.png', text('x'));
    expect((await readdir(folder)).sort()).toEqual(['chair', 'lamp.png', 'sofa.png']);
  });

  it('the connector continues after its connection breaks', async () => {
    const connector = connectTo(await sftp.makeFolder());
    await connector.write('one', text('x'));
    sftp.breakConnections();
    const again = () => connector.read('one').then(String, () => 'not yet');
    await expect.poll(again, { timeout: 5_000 }).toBe('x');
  });

  it('a connection that breaks in the middle of a file is a transient error and leaves no part of the file behind', async () => {
    const folder = await sftp.makeFolder();
    const link = await openLink(new URL(`tcp://127.0.0.1:${sftp.spec.port}`));
    const spec = {
      ...sftp.spec,
      port: link.port,
      path: folder,
      privateKeyFrom: 'RENDERLINE_SECRET_TEST_SFTP_KEY',
    };
    const connector = openConnector(spec, sftpCredentials);
    const staged = await connector.stage('out/big.tif');
    await staged.write(Buffer.alloc(9_000_000, 1));
    await connector.write('out/first', text('x'));
    link.holdAfter(400_000);
    const committing = staged.commit();
    committing.catch(() => undefined);
    await link.holding();
    sftp.breakConnections();
    link.flow();
    await expect(committing).rejects.toMatchObject({
      code: 'CONNECTOR_UNREACHABLE',
      isTransient: true,
    });
    await staged.discard();
    expect(await readdir(join(folder, 'out'))).toEqual(['first']);
    await link.close();
  });

  it('the connector transfers a large file completely', async () => {
    const folder = await sftp.makeFolder();
    const connector = connectTo(folder);
    const content = Buffer.from(Array.from({ length: 9_000_001 }, (_, index) => index % 253));
    const staged = await connector.stage('big.tif');
    await writeFile(staged.file, content);
    let steps = 0;
    await staged.commit({
      onProgress: () => {
        steps += 1;
      },
    });
    expect(steps).toBeGreaterThan(10);
    expect((await readFile(join(folder, 'big.tif'))).equals(content)).toBe(true);
    const file = await connector.open('big.tif');
    const pieces = (await collect((await file.content()) as AsyncIterable<Uint8Array>)).flat();
    expect(Buffer.concat(pieces).equals(content)).toBe(true);
    await file.close();
  });

  it('the connector leaves no temporary files behind and removes those of crashed processes', async () => {
    const folder = await sftp.makeFolder();
    const abandoned = '.rl-00000000-2-0123456789abcdef.tmp';
    await putFile(folder, `out/${abandoned}`, 'x', 1_000);
    const connector = connectTo(folder);
    await connector.write('out/a', text('x'), { ifAbsent: true, durable: true });
    await connector.write('out/a', text('y'), { ifAbsent: true });
    const staged = await connector.stage('out/b');
    await writeFile(staged.file, 'x');
    await staged.commit();
    expect((await readdir(join(folder, 'out'))).sort()).toEqual(['a', 'b']);
  });

  it('the connector does not follow links that lead out of its folder', async () => {
    const folder = await sftp.makeFolder();
    await putFile(folder, 'outside/secret.txt', 'secret');
    await putFile(folder, 'inside/model.glb', 'model');
    await symlink('model.glb', join(folder, 'inside/same.glb'));
    await symlink(join(folder, 'outside/secret.txt'), join(folder, 'inside/out.glb'));
    await symlink(join(folder, 'outside'), join(folder, 'inside/away'));
    const connector = connectTo(join(folder, 'inside'));
    const skipped: string[] = [];
    const names = await collect(connector.names('', { onSkipped: (path) => skipped.push(path) }));
    expect(names.sort()).toEqual(['model.glb', 'same.glb']);
    expect(skipped.sort()).toEqual(['away', 'out.glb']);
    const refused = { code: 'HOSTILE_PATH' };
    await expect(connector.read('out.glb')).rejects.toMatchObject(refused);
    await expect(connector.read('away/secret.txt')).rejects.toMatchObject(refused);
    await expect(connector.write('away/x', text('x'))).rejects.toMatchObject(refused);
    expect(await readdir(join(folder, 'outside'))).toEqual(['secret.txt']);
  });

  type Doing = (connector: ReturnType<typeof connectTo>) => Promise<unknown>;
  it.each<[string, Doing]>([
    ['read from', (connector) => connector.read('sub/secret.txt')],
    ['partially read from', (connector) => connector.readPart('sub/secret.txt', 0, 3)],
    ['opened', (connector) => connector.open('sub/secret.txt')],
    ['inspected', (connector) => connector.stat('sub/secret.txt')],
    ['written to', (connector) => connector.write('sub/new.txt', text('x'))],
    [
      'written to with a conditional create',
      (connector) => connector.write('sub/x', text('x'), { ifAbsent: true }),
    ],
    ['deleted from', (connector) => connector.remove('sub/secret.txt')],
  ])('a folder that is replaced with a link after its use is not %s', async (_what, doing) => {
    const folder = await sftp.makeFolder();
    await putFile(folder, 'outside/secret.txt', 'secret');
    const connector = connectTo(join(folder, 'inside'));
    await connector.write('sub/one', text('x'));
    await rename(join(folder, 'inside/sub'), join(folder, 'inside/old'));
    await symlink(join(folder, 'outside'), join(folder, 'inside/sub'));
    await expect(doing(connector)).rejects.toMatchObject({ code: 'HOSTILE_PATH' });
    expect(await readdir(join(folder, 'outside'))).toEqual(['secret.txt']);
  });

  describe('errors', () => {
    afterEach(() => sftp.allowConnections(true));
    const looking = (more: Record<string, string>, env = sftpCredentials) =>
      collect(connectTo('/tmp', more, env).list());

    it('a key that the server does not accept causes an error with a code', async () => {
      sftp.allowConnections(false);
      await expect(looking({})).rejects.toMatchObject({
        code: 'CREDENTIALS_REFUSED',
        fix: expect.stringMatching(/RENDERLINE_SECRET_TEST_SFTP_KEY/),
      });
    });

    it('an invalid key causes an error with a code', async () => {
      const error: unknown = await looking(
        {},
        { ...sftpCredentials, RENDERLINE_SECRET_TEST_SFTP_KEY: 'c4n4ry' },
      ).catch((failure: unknown) => failure);
      expect(error).toMatchObject({ code: 'CREDENTIALS_REFUSED' });
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('c4n4ry');
    });

    it('a variable that is not set causes an error with a code', async () => {
      await expect(looking({ privateKeyFrom: 'RENDERLINE_SECRET_NOT_SET' })).rejects.toMatchObject({
        code: 'CREDENTIALS_MISSING',
        message: expect.stringMatching(/NOT_SET/),
      });
    });

    it.each<[string, { hostKey?: string }]>([
      ['a missing host key', {}],
      ['a different host key', { hostKey: `SHA256:${'A'.repeat(43)}` }],
    ])("%s causes an error with the server's fingerprint", async (_, trusted) => {
      const { hostKey: _known, ...spec } = sftp.spec;
      const privateKeyFrom = 'RENDERLINE_SECRET_TEST_SFTP_KEY';
      const place = { ...spec, path: '/tmp', privateKeyFrom, ...trusted };
      const looking = collect(openConnector(place, sftpCredentials).list());
      await expect(looking).rejects.toMatchObject({
        code: 'HOST_KEY_REFUSED',
        fix: expect.stringContaining(sftp.hostKey),
      });
    });

    it.each([
      ['a server that is not listening', '127.0.0.1', 9],
      ['a host name that does not resolve', 'files.invalid', 22],
    ])('%s causes an error with a code', async (_, host, port) => {
      const spec = {
        ...sftp.spec,
        host,
        port,
        path: '/',
        privateKeyFrom: 'RENDERLINE_SECRET_TEST_SFTP_KEY',
      };
      const listing = collect(openConnector(spec, sftpCredentials).list());
      await expect(listing).rejects.toMatchObject({ code: 'CONNECTOR_UNREACHABLE' });
    });
  });
});
