// One of several processes on the same folder. `claim` takes all claims that it can, and `write` writes until the
// process is killed.

import { LocalConnector } from '../../src/connectors/local.ts';
import { openRunStore } from '../../src/features/run-store.ts';
import type { ClaimHolder } from '../../src/store/claims/claims.ts';

const [, , what, path = '', run = '', count = '0'] = process.argv;
const connector = new LocalConnector({ type: 'local', path });

async function claimAll(): Promise<string[]> {
  const store = openRunStore(connector, { run, lineage: run, pipeline: 'shoes', recipe: 'r' });
  const isAlive = async ({ run: other }: ClaimHolder) => other !== 'dead';
  const won: string[] = [];
  const keys = Array.from({ length: Number(count) }, (_, index) => `key-${index}`);
  for (const key of keys) {
    const wish = { key, version: '1-1', shard: 0 };
    if ((await store.claims.claim(wish, { isAlive })).isOurs) won.push(key);
  }
  return won;
}

async function writeForEver(): Promise<never> {
  for (let round = 0; ; round += 1) {
    const letter = String.fromCharCode(97 + (round % 26));
    await connector.write('one.json', Buffer.from(letter.repeat(2_000_000)));
    if (round === 2) process.stdout.write('going\n');
  }
}

if (what === 'claim') {
  // All processes start at the same time, not when they are loaded.
  process.stdout.write('ready\n');
  process.stdin.once('data', () => {
    claimAll()
      .then((won) => process.stdout.write(`${JSON.stringify(won)}\n`, () => process.exit(0)))
      .catch((error: unknown) => {
        process.stderr.write(String(error));
        process.exit(1);
      });
  });
} else {
  await writeForEver();
}
