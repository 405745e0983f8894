// Tests what a run checks about hosts before it pays for work.
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assertSingleHost, findHost, probeFolders } from '../../activities/run/hosts.ts';
import type { RunContext } from '../../src/plan/run/run-context.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'renderline-hosts-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const at = (name: string) => join(root, name);
const probe = (...names: string[]) =>
  probeFolders({ context: {} as RunContext, paths: names.map(at) });

describe('a folder', () => {
  it('a folder keeps its id under another name and with other files, and different folders have different ids', async () => {
    await mkdir(at('a'));
    await mkdir(at('b'));
    await symlink(at('a'), at('link'));
    const [a, b, link] = await probe('a', 'b', 'link');
    expect(a?.id).toEqual(expect.any(String));
    expect(b?.id).not.toBe(a?.id);
    expect(link).toEqual(a);
    await writeFile(at('a/file'), '');
    await rename(at('a'), at('moved'));
    expect((await probe('moved'))[0]).toEqual(a);
  });

  it('a folder that does not exist is identified by its existing parent and the path below it', async () => {
    await mkdir(at('above'));
    const [above, one, same, deep] = await probe('above', 'above/x', 'above/x', 'above/x/y');
    expect(one).toEqual({ id: null, parentId: `${above?.id} /x` });
    expect(same).toEqual(one);
    expect(deep?.parentId).toBe(`${above?.id} /x/y`);
  });

  it('a path below a file is treated as a missing folder', async () => {
    await writeFile(at('file'), '');
    expect((await probe('file/x'))[0]?.id).toBeNull();
  });
});

describe('the hosts of a discovery', () => {
  const local = { type: 'local', path: '/in' };
  const bucket = { type: 's3', bucket: 'b' };
  const contextOf = (more: Partial<RunContext>) =>
    ({ connectors: { models: local }, records: bucket, ...more }) as RunContext;

  it.each([
    ['there is one host', contextOf({}), undefined, ['a']],
    ['no host is known', contextOf({}), undefined, []],
    ['the host is known', contextOf({ host: 'a' }), undefined, ['a', 'b']],
    ['the host was chosen already', contextOf({}), true, ['a', 'b']],
    [
      'there is no local folder',
      contextOf({ connectors: { models: bucket } }),
      undefined,
      ['a', 'b'],
    ],
  ] as const)('a discovery continues if %s', async (_, context, placed, hosts) => {
    const deps = { listHosts: async () => [...hosts] };
    await assertSingleHost({ context, ...(placed ? { isHostChosen: placed } : {}) }, deps);
  });

  it('a discovery stops if there are several hosts, and lists them', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `h${index}`);
    const stopped = assertSingleHost({ context: contextOf({}) }, { listHosts: async () => names });
    const error = await stopped.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApplicationFailure);
    expect(error).toMatchObject({
      type: 'SeveralHosts',
      nonRetryable: true,
      details: [names],
    });
  });

  it.each([
    [['a'], true],
    [['A'], false],
    [[], false],
  ])('a discovery finds the host "a" among %j: %j', async (hosts, here) => {
    expect(await findHost({ host: 'a' }, { listHosts: async () => hosts })).toEqual({ here });
  });
});
