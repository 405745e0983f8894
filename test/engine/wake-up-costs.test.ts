// Number of requests of a known scenario of waits, with and without notifications, to detect regressions.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScriptedPlatform } from './_platform.ts';
import { type Deliver, WaitScenario } from './_wait-scenario.ts';

let platform: ScriptedPlatform;
let waits: WaitScenario;
beforeEach(async () => {
  platform = await ScriptedPlatform.start();
  waits = new WaitScenario(platform);
});
afterEach(async () => {
  waits.close();
  await platform.stop();
});

const promptly: Deliver = () => [60];
/** Of ten notifications one is lost, one is duplicated, one is late, and one is early. */
const badly: Deliver = (ending) =>
  [[], [60, 2_500], [4_000], [-400]][ending % 10] ?? [(ending % 3) * 200];
const never: Deliver = () => [];

const status = 'POST /models/status';
const batches = 'GET /renders/batch';
const jobs = 'GET /renders/job-';
const costs = () => ({
  status: platform.count(status),
  pages: platform.count('GET /renders') - platform.count(batches) - platform.count(jobs),
  batches: platform.count(batches),
  jobs: platform.count(jobs),
});

const none = { status: 0, pages: 0, batches: 0, jobs: 0 };
/** One job per batch is read to learn the number of outputs of all its jobs. */
const counted = { ...none, jobs: 1 };

// Wake-ups cause four polls a second, with one request each. Missed changes cost a poll of all items now and then.
describe('200 models that become ready within 4 s', () => {
  it.each([
    ['without a receiver', null, { ...none, status: 10 }],
    ['with prompt notifications', promptly, { ...none, status: 19 }],
    ['with lost, duplicate, late and early notifications', badly, { ...none, status: 22 }],
    ['without any notification', never, { ...none, status: 3 }],
  ])('the waits send the expected requests %s', async (_name, deliver, expected) => {
    expect(new Set(await waits.models(deliver))).toEqual(new Set(['done, 0 outputs']));
    expect(costs()).toEqual(expected);
  });
});

describe('200 renders in four batches that end within 6 s', () => {
  it.each([
    ['without a receiver', null, { ...counted, pages: 9, batches: 13 }],
    ['with prompt notifications', promptly, { ...counted, pages: 27, batches: 8 }],
    [
      'with lost, duplicate, late and early notifications',
      badly,
      { ...counted, pages: 28, batches: 8 },
    ],
    ['without any notification', never, { ...counted, pages: 5, batches: 8 }],
  ])('the waits send the expected requests %s', async (_name, deliver, expected) => {
    expect(new Set(await waits.renders(deliver))).toEqual(new Set(['done, 1 outputs']));
    expect(costs()).toEqual(expected);
  });
});
