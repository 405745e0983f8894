// The requirements for every network connector with files of many megabytes.
import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { Connector } from '../../src/connectors/connector.ts';

const text = (value: string) => new TextEncoder().encode(value);

export interface LargeFiles {
  connect: () => Promise<Connector>;
  /** A file of 20 MB must report progress more often than this. */
  steps: number;
  /** Size of the file whose transfer is aborted. */
  stoppedBytes: number;
}

export function testLargeFiles({ connect, steps: fewest, stoppedBytes }: LargeFiles): void {
  it('sends a large file whole, with progress', async () => {
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

  it('stops on its way when told, and leaves what was there', async () => {
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
