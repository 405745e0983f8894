import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmod,
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openConnector } from '../../src/connectors/index.ts';
import { LocalConnector } from '../../src/connectors/local.ts';
import { collect, putFile, tempFolder } from './_temp-folder.ts';
import { testConnector } from './connector.testsuite.ts';

const local = (path: string) => new LocalConnector({ type: 'local', path });
const run = (command: string, ...args: string[]) =>
  void execFileSync(command, args, { stdio: 'ignore' });
const text = (value: string) => new TextEncoder().encode(value);

testConnector('a local folder', {
  connect: async () => local(await tempFolder()),
  connectNowhere: async () => local(join(await tempFolder(), 'not', 'there')),
});

describe('a local folder', () => {
  it.each([
    ['a relative path', 'models', 'HOSTILE_PATH'],
    ['a NUL character in its path', '/models\0', 'HOSTILE_PATH'],
    ['an empty path', '', 'CONNECTOR_MISCONFIGURED'],
    ['a number as its path', 7, 'CONNECTOR_MISCONFIGURED'],
  ])('a local folder with %s is refused', (_, path, code) => {
    const refused = expect.objectContaining({ code });
    expect(() => openConnector({ type: 'local', path })).toThrow(refused);
  });

  it('a folder of an unknown type is not opened, and the error lists the known types', () => {
    expect(() => openConnector({ type: 'ftp' })).toThrow(
      expect.objectContaining({
        code: 'UNKNOWN_CONNECTOR',
        message: expect.stringMatching(/local/),
      }),
    );
    expect(() => openConnector({ type: 'toString' })).toThrow(/is unknown; known types are/);
  });

  it('only records of runs are private to their user', async () => {
    const folder = await tempFolder();
    await local(folder).write('.renderline/shoes/runs/a.json', text('{}'));
    await local(folder).write('pictures/a.png', text('x'));
    const modeOf = async (path: string) =>
      ((await stat(join(folder, path))).mode & 0o777).toString(8);
    expect(await modeOf('.renderline')).toBe('700');
    expect(await modeOf('pictures')).toBe((0o777 & ~process.umask()).toString(8));
  });

  it('a file in place of the folder is reported', async () => {
    const file = await putFile(await tempFolder(), 'file');
    await expect(collect(local(file).list())).rejects.toMatchObject({ code: 'NOT_A_FOLDER' });
    await expect(local(file).write('a', text('x'))).rejects.toMatchObject({ code: 'NOT_A_FOLDER' });
  });
});

describe('confinement to a local folder', () => {
  async function insideAndOutside() {
    const folder = await tempFolder();
    await putFile(folder, 'outside/secret.txt', 'secret');
    await putFile(folder, 'inside/model.glb', 'model');
    return { inside: join(folder, 'inside'), outside: join(folder, 'outside') };
  }

  it('a link that leads outside is not read', async () => {
    const { inside, outside } = await insideAndOutside();
    await symlink(join(outside, 'secret.txt'), join(inside, 'link.glb'));
    await symlink(outside, join(inside, 'folder'));
    const connector = local(inside);
    const refused = { code: 'HOSTILE_PATH', message: expect.stringMatching(/link that leads out/) };
    for (const path of ['link.glb', 'folder/secret.txt']) {
      await expect(connector.read(path)).rejects.toMatchObject(refused);
      await expect(connector.open(path)).rejects.toMatchObject(refused);
      await expect(connector.stat(path)).rejects.toMatchObject(refused);
      await expect(connector.readPart(path, 0, 9)).rejects.toMatchObject(refused);
    }
  });

  it('a link to an outside folder is neither written through nor removed through', async () => {
    const { inside, outside } = await insideAndOutside();
    await symlink(outside, join(inside, 'folder'));
    const connector = local(inside);
    const refused = { code: 'HOSTILE_PATH' };
    await expect(connector.write('folder/x', text('x'))).rejects.toMatchObject(refused);
    await expect(connector.write('folder/new/x', text('x'))).rejects.toMatchObject(refused);
    await expect(connector.stage('folder/x')).rejects.toMatchObject(refused);
    await expect(connector.remove('folder/secret.txt')).rejects.toMatchObject(refused);
    expect(await readdir(outside)).toEqual(['secret.txt']);
  });

  it('a link that leads outside is replaced, not written through', async () => {
    const { inside, outside } = await insideAndOutside();
    await symlink(join(outside, 'secret.txt'), join(inside, 'out.json'));
    await local(inside).write('out.json', text('new'));
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
    expect(await readFile(join(inside, 'out.json'), 'utf8')).toBe('new');
  });

  type Doing = (connector: LocalConnector) => Promise<unknown>;
  it.each<[string, Doing]>([
    ['read from', (connector) => connector.read('sub/secret.txt')],
    ['partially read from', (connector) => connector.readPart('sub/secret.txt', 0, 3)],
    ['opened', (connector) => connector.open('sub/secret.txt')],
    ['inspected for its status', (connector) => connector.stat('sub/secret.txt')],
    ['written to', (connector) => connector.write('sub/new.txt', text('x'))],
    [
      'written to with a conditional create',
      (connector) => connector.write('sub/x', text('x'), { ifAbsent: true }),
    ],
    ['delivered to', (connector) => connector.stage('sub/new.txt')],
    ['deleted from', (connector) => connector.remove('sub/secret.txt')],
  ])('a folder that becomes a link right after it was used is not %s', async (_what, doing) => {
    const { inside, outside } = await insideAndOutside();
    const connector = local(inside);
    await connector.write('sub/one', text('x'));
    await rename(join(inside, 'sub'), join(inside, 'old'));
    await symlink(outside, join(inside, 'sub'));
    await expect(doing(connector)).rejects.toMatchObject({ code: 'HOSTILE_PATH' });
    expect(await readdir(outside)).toEqual(['secret.txt']);
  });

  it('a link is read if its file is inside the root, but not if the file is in a folder whose name only starts like the root', async () => {
    const { inside, outside } = await insideAndOutside();
    await putFile(`${inside}-too`, 'model.glb', 'of another');
    await symlink(join(`${inside}-too`, 'model.glb'), join(inside, 'link.glb'));
    await symlink('model.glb', join(inside, 'same.glb'));
    const connector = local(inside);
    expect((await connector.read('same.glb')).toString()).toBe('model');
    await expect(connector.read('link.glb')).rejects.toMatchObject({ code: 'HOSTILE_PATH' });
    expect(await readdir(outside)).toEqual(['secret.txt']);
  });

  it('links to files inside the root are listed, links that lead outside are reported, and folder links are not followed', async () => {
    const { inside, outside } = await insideAndOutside();
    await symlink('model.glb', join(inside, 'same.glb'));
    await symlink(join(outside, 'secret.txt'), join(inside, 'out.glb'));
    await symlink('nowhere', join(inside, 'dangling.glb'));
    await symlink('.', join(inside, 'loop'));
    await symlink(outside, join(inside, 'away'));
    const skipped: string[] = [];
    const onSkipped = (path: string, reason: string) => skipped.push(`${path}: ${reason}`);
    const entries = await collect(local(inside).list('', { onSkipped }));
    expect(entries.map(({ path }) => path).sort()).toEqual(['model.glb', 'same.glb']);
    expect(skipped.sort()).toEqual(['away: link-outside', 'out.glb: link-outside']);
  });

  it('a root that is reached through a link works', async () => {
    const { inside, outside } = await insideAndOutside();
    await symlink(inside, join(outside, 'models'));
    const connector = local(join(outside, 'models'));
    expect(await collect(connector.names())).toEqual(['model.glb']);
    expect((await connector.read('model.glb')).toString()).toBe('model');
  });

  it('a named pipe does not block a read', async () => {
    const { inside } = await insideAndOutside();
    run('mkfifo', join(inside, 'pipe.glb'));
    const connector = local(inside);
    expect(await collect(connector.names())).toEqual(['model.glb']);
    await expect(connector.read('pipe.glb')).rejects.toMatchObject({ code: 'UNREADABLE' });
  });
});

describe('temporary files', () => {
  const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
  const ourDead = `.rl-${host}-4194999-0123456789abcdef.tmp`;
  const ourLiving = `.rl-${host}-${process.pid}-0123456789abcdef.tmp`;
  const elsewhereNew = '.rl-00000000-1-0123456789abcdef.tmp';
  const elsewhereOld = '.rl-00000000-2-0123456789abcdef.tmp';

  it.each<[string, (connector: LocalConnector) => Promise<unknown>]>([
    ['a file is staged', async (connector) => (await connector.stage('out/a.jpg')).discard()],
    ['a record is written', (connector) => connector.write('out/a.json', text('x'))],
  ])('temporary files of crashed processes are deleted when %s next to them', async (_, writes) => {
    const folder = await tempFolder();
    const names = [ourDead, ourLiving, elsewhereNew, elsewhereOld, '.other.tmp', 'kept.tmp'];
    for (const name of names) await putFile(folder, `out/${name}`);
    await utimes(join(folder, 'out', elsewhereOld), 1, 1);
    const connector = local(folder);
    expect(await collect(connector.names())).toEqual(['out/kept.tmp']);
    await writes(connector);
    await connector.remove('out/a.json');
    expect((await readdir(join(folder, 'out'))).sort()).toEqual(
      [ourLiving, elsewhereNew, '.other.tmp', 'kept.tmp'].sort(),
    );
  });

  it('a temporary file is deleted if its staged file cannot be renamed', async () => {
    const folder = await tempFolder();
    const connector = local(folder);
    await mkdir(join(folder, 'taken', 'by a folder'), { recursive: true });
    const staged = await connector.stage('taken');
    await staged.write(text('x'));
    await expect(staged.commit()).rejects.toMatchObject({ code: 'FILE_REFUSED' });
    await staged.discard();
    expect(await readdir(folder)).toEqual(['taken']);
  });

  it('no temporary file remains after a write', async () => {
    const folder = await tempFolder();
    const connector = local(folder);
    await connector.write('a', text('x'));
    await connector.write('a', text('y'), { ifAbsent: true });
    await connector.write('b', text('x'), { ifAbsent: true, durable: true });
    await mkdir(join(folder, 'taken'));
    await expect(connector.write('taken', text('x'))).rejects.toMatchObject({
      code: 'FILE_REFUSED',
    });
    expect((await readdir(folder)).sort()).toEqual(['a', 'b', 'taken']);
  });

  it('temporary files can be created again in a folder that was deleted', async () => {
    const folder = await tempFolder();
    const connector = local(folder);
    await connector.write('a/b/one', text('x'));
    await rm(join(folder, 'a'), { recursive: true });
    await connector.write('a/b/two', text('y'));
    expect(await collect(connector.names())).toEqual(['a/b/two']);
  });

  it('the temporary file of a conditional create is not mistaken for its target, even if the target has two links', async () => {
    const folder = await tempFolder();
    const connector = local(folder);
    await putFile(folder, 'other', 'x');
    await link(join(folder, 'other'), join(folder, 'taken'));
    expect(await connector.write('taken', text('y'), { ifAbsent: true })).toBe('exists');
  });
});

describe('a disk error', () => {
  /** A separate small file system. Undefined if mounting is not allowed. */
  async function mount(options: string): Promise<string | undefined> {
    const folder = await tempFolder();
    try {
      run('mount', '-t', 'tmpfs', '-o', options, 'tmpfs', folder);
    } catch {
      return undefined;
    }
    onTestFinished(() => run('umount', '-l', folder));
    return folder;
  }

  it('a full disk leaves no file behind, and the file can be written once there is space', async (test) => {
    const folder = await mount('size=256k');
    if (!folder) return test.skip('mounting a small disk needs root');
    const connector = local(folder);
    await connector.write('filler', new Uint8Array(200_000));
    const big = new Uint8Array(100_000);
    const full = {
      code: 'DISK_FULL',
      path: 'out/big',
      fix: expect.stringMatching(/resume/),
      message: expect.stringMatching(/"out\/big" in local folder .*no space is left \(ENOSPC\)/),
    };
    await expect(connector.write('out/big', big)).rejects.toMatchObject(full);
    await expect(connector.write('out/big', big, { ifAbsent: true })).rejects.toMatchObject(full);
    expect(await readdir(join(folder, 'out'))).toEqual([]);
    await connector.remove('filler');
    expect(await connector.write('out/big', big)).toBe('written');
  });

  it('a read-only disk is reported', async (test) => {
    const folder = await mount('size=64k,ro');
    if (!folder) return test.skip('mounting a read-only disk needs root');
    const connector = local(folder);
    await expect(connector.write('a', text('x'))).rejects.toMatchObject({ code: 'UNWRITABLE' });
    await expect(connector.write('a/b', text('x'))).rejects.toMatchObject({
      code: 'UNWRITABLE',
      message: expect.stringMatching(/local folder .*: the file system is read-only \(EROFS\)/),
      fix: 'Make the file system writable, then resume the run',
    });
  });

  it('missing read permissions are reported', async (test) => {
    if (process.getuid?.() === 0) return test.skip('root may read everything');
    const folder = await tempFolder();
    await putFile(folder, 'shut/one.glb');
    await putFile(folder, 'open/two.glb');
    await chmod(join(folder, 'shut'), 0);
    onTestFinished(() => chmod(join(folder, 'shut'), 0o700));
    const connector = local(folder);
    await expect(connector.read('shut/one.glb')).rejects.toMatchObject({ code: 'UNREADABLE' });
    await expect(collect(connector.list())).rejects.toMatchObject({ code: 'UNREADABLE' });
    const skipped: string[] = [];
    const onSkipped = (path: string) => skipped.push(path);
    expect(await collect(connector.list('', { onSkipped }))).toHaveLength(1);
    expect(skipped).toEqual(['shut']);
  });
});

describe('a large folder', () => {
  it('a folder of 20,000 files is listed page by page, using little CPU time', async () => {
    const folder = await tempFolder();
    const groups = Array.from({ length: 200 }, (_, index) => `group-${index}`);
    for (const group of groups) await mkdir(join(folder, group));
    const original = await putFile(folder, 'original.glb', 'x');
    for (const group of groups) {
      const names = Array.from({ length: 100 }, (_, index) => join(folder, group, `${index}.glb`));
      await Promise.all(names.map((name) => link(original, name)));
    }
    const before = process.cpuUsage();
    let count = 0;
    for await (const entry of local(folder).list()) count += entry.bytes;
    const { user, system } = process.cpuUsage(before);
    expect(count).toBe(20_001);
    // About 0.5 s of a core, which a busy machine does not change. The bound only catches a change of order.
    expect((user + system) / 1_000).toBeLessThan(6_000);
  });

  it('a listing of a large folder can be closed after the first file', async () => {
    const folder = await tempFolder();
    for (let index = 0; index < 600; index += 1) await writeFile(join(folder, `${index}`), 'x');
    for await (const path of local(folder).names()) {
      expect(path).toMatch(/^\d+$/);
      break;
    }
  });
});
