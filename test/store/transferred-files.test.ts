// Files that an activity has transferred are known to its next attempt.
import { describe, expect, it } from 'vitest';
import { JsonObjects } from '../../src/store/objects/json-objects.ts';
import { TransferredFiles, transferLogPath } from '../../src/store/runs/transferred-files.ts';
import { MemoryConnector } from '../connectors/_memory-connector.ts';

const mib = 1024 ** 2;
const file = (bytes: number) => ({ bytes, sha256: 'f'.repeat(64) });

function books() {
  const connector = new MemoryConnector();
  const objects = new JsonObjects(connector, '.renderline/test');
  let writes = 0;
  const write = connector.write.bind(connector);
  connector.write = (...given) => {
    writes += 1;
    return write(...given);
  };
  const path = transferLogPath({ run: 'run-1', shard: 0 }, 'call');
  return {
    objects,
    path,
    writes: () => writes,
    begin: () => TransferredFiles.start(objects, path),
    resume: (...others: string[]) => TransferredFiles.resume(objects, path, others),
    truncate: (bytes: string) => connector.write(`.renderline/test/${path}`, Buffer.from(bytes)),
  };
}

describe('the files that a dead worker transferred', () => {
  it.each<[string, number[], string[]]>([
    ['include each large file', [40, 40, 40], ['0', '1', '2']],
    ['include small files once they add up to 32 MiB', [12, 12, 12, 12], ['0', '1', '2']],
    ['do not include a few small files', [1, 1, 1], []],
    ['include small files before a large one', [1, 1, 32], ['0', '1', '2']],
  ])('the transferred files %s', async (_, sizes, known) => {
    const { begin, resume } = books();
    const first = begin();
    for (const [at, size] of sizes.entries()) await first.add(String(at), file(size * mib));
    const second = await resume();
    const ids = sizes.map((_size, at) => String(at)).filter((id) => second.get(id) !== undefined);
    expect(ids).toEqual(known);
  });

  it('the transferred files include all files, however many were added concurrently', async () => {
    const { begin, resume } = books();
    const first = begin();
    const ids = Array.from({ length: 20 }, (_, at) => String(at));
    await Promise.all(ids.map((id) => first.add(id, file(40 * mib))));
    const second = await resume();
    expect(ids.filter((id) => second.get(id) === undefined)).toEqual([]);
  });

  it('the transferred files are known to a run that takes over its assets, which can add files', async () => {
    const { objects, begin, path } = books();
    await begin().add('a', file(40 * mib));
    const own = transferLogPath({ run: 'run-2', shard: 3 }, 'call');
    const second = await TransferredFiles.resume(objects, own, [path]);
    await second.add('b', file(40 * mib));
    const third = await TransferredFiles.resume(objects, own, []);
    expect(['a', 'b'].map((id) => third.get(id)?.bytes)).toEqual([40 * mib, 40 * mib]);
  });

  it('the transferred files are transferred again if a power cut has truncated their list', async () => {
    const { objects, begin, resume, truncate } = books();
    await begin().add('a', file(40 * mib));
    await objects.write('other.json', { schema: 'renderline/other/v1' });
    expect((await resume('other.json')).get('a')?.bytes).toBe(40 * mib);
    for (const bytes of ['', '{"schema":']) {
      await truncate(bytes);
      const second = await resume();
      expect(second.all()).toEqual([]);
      await second.add('b', file(40 * mib));
      expect((await resume()).get('b')?.bytes).toBe(40 * mib);
    }
  });

  it('the transferred files are not stored while they are small', async () => {
    const { begin, writes } = books();
    const first = begin();
    for (let at = 0; at < 50; at += 1) await first.add(String(at), file(100_000));
    expect(writes()).toBe(0);
  });
});
