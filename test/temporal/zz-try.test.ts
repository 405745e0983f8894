import { afterEach, beforeEach, it, vi } from 'vitest';
import { SharedPlatform } from './_shared-platform.ts';
const minuteMs = 60_000;
let startedMs: number;
beforeEach(() => { vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'], now: 1_800_000_000_000 }); startedMs = Date.now(); });
afterEach(() => { vi.clearAllTimers(); vi.useRealTimers(); });
const minutes = (count: number) => vi.advanceTimersByTimeAsync(count * minuteMs);
const per = (times: readonly number[], step = 0.5) => { const out: number[] = []; for (const ms of times) { const i = Math.floor((ms - startedMs) / minuteMs / step); out[i] = (out[i] ?? 0) + 1; } return Array.from(out, (n) => n ?? 0).join(' '); };
it('joins', async () => {
  const platform = new SharedPlatform(200);
  const first = platform.worker(200).work();
  await minutes(3);
  const second = platform.worker(200).work();
  await minutes(7);
  console.log('joins\n', per(platform.ours.takenMs), '\n', per(first.sentMs), '\n', per(second.sentMs), '\n q', platform.questions);
});
it('killed', async () => {
  const platform = new SharedPlatform(200);
  const first = platform.worker(200).work();
  await minutes(2);
  first.kill();
  const second = platform.worker(200).work();
  await minutes(8);
  console.log('killed\n', per(second.sentMs), platform.questions);
});
it('stops', async () => {
  const platform = new SharedPlatform(200);
  const first = platform.worker(200).work();
  await minutes(2);
  const stopping = first.stop();
  await vi.advanceTimersByTimeAsync(2_000);
  await stopping;
  const second = platform.worker(200).work();
  await minutes(6);
  console.log('stops\n', per(second.sentMs), platform.questions);
});
