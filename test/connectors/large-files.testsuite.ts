// The tests for files of many megabytes that every connector over a network must pass.
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { readBoundedBody } from '../../src/api/network/read-bounded-body.ts';
import type { Bucket } from '../../src/connectors/bucket/bucket.ts';
import type { Connector } from '../../src/connectors/connector.ts';

const text = (value: string) => new TextEncoder().encode(value);

export interface LargeFiles {
  connect: () => Promise<Connector>;
  /** Minimum number of progress calls for a file of 20 MB. */
  steps: number;
  /** Size of the file whose transfer is aborted. */
  stoppedBytes: number;
}

export function testLargeFiles({ connect, steps: fewest, stoppedBytes }: LargeFiles): void {
  it('a large file is sent completely, and its progress is reported', async () => {
    const connector = await connect();
    const staged = await connector.stage('big.tif');
    await writeFile(staged.file, Buffer.alloc(20_000_000, 7));
    let steps = 0;
    const entry = await staged.commit({
      onProgress: () => {
        steps += 1;
      },
    });
    expect(entry.bytes).toBe(20_000_000);
    expect(steps).toBeGreaterThan(fewest);
  });

  it('an aborted upload stops and keeps the previous file', async () => {
    const connector = await connect();
    await connector.write('one', text('old'));
    const staged = await connector.stage('one');
    await writeFile(staged.file, Buffer.alloc(stoppedBytes));
    const stop = new AbortController();
    const why = new Error('cancelled');
    const committing = staged.commit({ signal: stop.signal, onProgress: () => stop.abort(why) });
    await expect(committing).rejects.toThrow(why);
    await staged.discard();
    expect((await connector.read('one')).toString()).toBe('old');
  });
}

/** A file of these bytes, in pieces of 1 MB. @param onPart called after the first 12 MB */
export function fileOf(bytes: Buffer, onPart = () => undefined as void) {
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += 1_000_000) {
      if (at === 12_000_000) onPart();
      yield bytes.subarray(at, at + 1_000_000);
    }
  }
  return { bytes: bytes.length, pieces };
}

/** Uploads in parts, which no test can afford at their real size. @param open with parts of 5 MiB above 6 MB */
export function testPartUploads(open: () => Promise<Bucket>): void {
  it('a large file is uploaded completely, in several parts', async () => {
    const bucket = await open();
    const bytes = Buffer.from(Uint8Array.from({ length: 16_000_001 }, (_, index) => index % 251));
    let steps = 0;
    await bucket.putFile('catalog.zip', fileOf(bytes), { onProgress: () => void (steps += 1) });
    const { object, body } = await bucket.get('catalog.zip', null, undefined);
    expect([object.bytes, steps]).toEqual([bytes.length, 17]);
    const hash = (data: Buffer) => createHash('sha256').update(data).digest('hex');
    const content = await readBoundedBody(body, bytes.length);
    expect(content && hash(content)).toBe(hash(bytes));
  });

  it('a small file is uploaded in one request', async () => {
    const bucket = await open();
    await bucket.putFile('small.zip', fileOf(Buffer.alloc(5_500_000)), {});
    expect((await bucket.head('small.zip'))?.bytes).toBe(5_500_000);
  });
}
