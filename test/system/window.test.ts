// How many assets a run has in flight: enough for the allowance however long things take, and no more than the file, the
// worker's memory and its hands leave. On a server that skips time.
import { expect, test } from 'vitest';
import { usePlayedPlatforms } from './_played-allowance.ts';

const platforms = usePlayedPlatforms();

test('renders of five minutes keep the platform busy to 90 % of what 600 requests a minute permit', async () => {
  const run = await platforms.start('busy', {
    assets: 30_000,
    allowance: 600,
    requests: { upload: 10, shots: 10 },
    takesMs: { ready: 8_000, done: 300_000 },
  });
  await run.pass(12);
  expect(run.sent[8]).toBeGreaterThan(540);
}, 300_000);
