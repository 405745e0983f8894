// Folders that are held open: opened once for what is done close together, closed by their last user.
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HeldFolders } from '../../src/connectors/held-folders.ts';

let folder: string;
let opened: FileHandle[];
let held: HeldFolders;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'renderline-held-'));
  opened = [];
  held = new HeldFolders();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const openFolder = async () => {
  const handle = await open(folder, 'r');
  opened.push(handle);
  return handle;
};
const use = <T>(name: string, work: (handle: FileHandle) => Promise<T>) =>
  held.use(name, openFolder, work);
const nothing = () => Promise.resolve();
/** A closed handle has no descriptor. */
const openOnes = () => opened.filter(({ fd }) => fd >= 0).length;

describe('a folder', () => {
  it('is opened once for what is done at once, and for what follows soon', async () => {
    await Promise.all(Array.from({ length: 50 }, () => use('a', nothing)));
    await use('a', nothing);
    expect(opened).toHaveLength(1);
  });

  it('is closed when nobody has used it for a while', async () => {
    await use('a', nothing);
    await expect.poll(openOnes, { timeout: 5_000 }).toBe(0);
    await use('a', nothing);
    expect(opened).toHaveLength(2);
  });

  it('that is forgotten is opened anew, and stays open for those who still use it', async () => {
    let letGo: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const long = use('a', async (handle) => {
      await gate;
      return handle.fd;
    });
    await sleep(1);
    held.forget('a');
    await use('a', nothing);
    expect(opened).toHaveLength(2);
    letGo();
    expect(await long).toBeGreaterThanOrEqual(0);
    await expect.poll(() => opened[0]?.fd, { timeout: 5_000 }).toBe(-1);
  });

  it('that could not be opened is tried again by the next', async () => {
    const broken = held.use('a', () => Promise.reject(new Error('no such folder')), nothing);
    await expect(broken).rejects.toThrow('no such folder');
    await use('a', nothing);
    expect(opened).toHaveLength(1);
  });

  it('stays held where the work in it fails', async () => {
    await expect(use('a', () => Promise.reject(new Error('no such file')))).rejects.toThrow(
      'no such file',
    );
    await use('a', nothing);
    expect(opened).toHaveLength(1);
  });
});

describe('folders', () => {
  it('are held sixteen at most, the oldest goes first', async () => {
    for (let index = 0; index < 40; index += 1) await use(`folder-${index}`, nothing);
    await expect.poll(openOnes, { timeout: 5_000 }).toBeLessThanOrEqual(16);
    expect(opened).toHaveLength(40);
    await use('folder-39', nothing);
    expect(opened).toHaveLength(40);
    await use('folder-0', nothing);
    expect(opened).toHaveLength(41);
  });
});
