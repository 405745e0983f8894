// Pictures that the destination refuses. One refused picture fails its asset, a full disk stops the run, and delivered
// files count.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConnectorError } from '../../src/connectors/connector-error.ts';
import { useSmallS3 } from '../connectors/_small-s3.ts';
import { codes, useDelivery } from './_delivery.ts';

const delivery = useDelivery();
const s3 = useSmallS3();
const naming = '{{ key }}.{{ ext }}';

/** Refuses the first commits of these names with this error. */
const refusing = (error: ConnectorError, names: string[], times = 99) => {
  const { connector } = delivery;
  const stage = connector.stage.bind(connector);
  let left = times;
  connector.stage = async (path) => {
    const staged = await stage(path);
    if (!names.includes(path)) return staged;
    const commit: typeof staged.commit = async (options) => {
      if ((left -= 1) >= 0) throw error;
      return staged.commit(options);
    };
    return { ...staged, commit };
  };
};
const three = () =>
  ['a', 'b', 'c'].map((key) => delivery.rendered(key, delivery.output(key, 'Front')));

describe('a destination that refuses pictures', () => {
  it('a briefly locked file is delivered after retries', async () => {
    refusing(new ConnectorError('FILE_BUSY', 'b.png', 'it is open', 'close it'), ['b.png'], 2);
    expect(codes(await delivery.run(naming, three()))).toEqual(['done', 'done', 'done']);
    expect(delivery.waits).toEqual([1_000, 3_000]);
  });

  it.each(['FILE_BUSY', 'FILE_REFUSED'] as const)(
    'a destination that keeps refusing one picture (%s) still receives the others',
    async (code) => {
      refusing(new ConnectorError(code, 'b.png', 'it is refused', 'allow it'), ['b.png']);
      const results = await delivery.run(naming, three());
      expect(codes(results)).toEqual(['done', code, 'done']);
      expect(results[1]).toMatchObject({ message: 'it is refused' });
      expect(delivery.waits).toHaveLength(code === 'FILE_BUSY' ? 5 : 0);
      expect(await delivery.files()).toEqual(['a.png', 'c.png']);
    },
  );

  it('a destination that becomes full keeps the delivered files and stops the next attempt', async () => {
    const full = new ConnectorError('DISK_FULL', 'c.png', 'no space', 'free some');
    refusing(full, ['c.png', 'd.png']);
    const [a, b, c] = three();
    if (!a || !b || !c) throw new TypeError('three');
    const ended = { files: 0 };
    const { connector } = delivery;
    const stage = connector.stage.bind(connector);
    // The last picture is written to the full disk once the others are delivered.
    connector.stage = async (path) => {
      const staged = await stage(path);
      const commit: typeof staged.commit = async (options) => {
        if (path === 'c.png') await expect.poll(() => ended.files).toBe(2);
        const entry = await staged.commit(options);
        ended.files += 1;
        return entry;
      };
      return { ...staged, commit };
    };
    const results = await delivery.run(naming, [a, b, c]);
    expect(results).toMatchObject([
      { key: 'a', outcome: 'done' },
      { key: 'b', outcome: 'done' },
    ]);
    expect(results).toHaveLength(2);
    await expect(delivery.run(naming, [c])).rejects.toBe(full);
  });

  it("a destination with a folder at one picture's path still receives the others", async () => {
    await mkdir(join(delivery.folder, 'b.png'));
    expect(codes(await delivery.run(naming, three()))).toEqual(['done', 'FILE_REFUSED', 'done']);
    expect(await delivery.files()).toEqual(['a.png', 'c.png']);
  });

  it('a bucket with one locked key still receives the others', async () => {
    const denied = { status: 403, code: 'AccessDenied' };
    s3.refuse = (method, key) => (method === 'PUT' && key === 'out/b.png' ? denied : null);
    delivery.connector = s3.connector('out');
    expect(codes(await delivery.run(naming, three()))).toEqual(['done', 'FILE_REFUSED', 'done']);
    expect([...s3.objects.keys()].sort()).toEqual(['out/a.png', 'out/c.png']);
  });

  it.each([
    ['refuses all requests', 403, 'AccessDenied', 'ACCESS_DENIED'],
    ['is full', 507, 'XMinioStorageFull', 'DISK_FULL'],
  ])('a bucket that %s stops the run', async (_, status, code, meaning) => {
    s3.refuse = (method) => (method === 'PUT' ? { status, code } : null);
    delivery.connector = s3.connector('out');
    await expect(delivery.run(naming, three())).rejects.toMatchObject({ code: meaning });
    expect(delivery.waits).toEqual([]);
  });
});
