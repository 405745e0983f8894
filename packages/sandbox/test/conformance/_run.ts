// Registers the tables as tests. Each table has one platform, and a row that needs it has a separate one.
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { SandboxOptions } from '../../../../src/sandbox/interface.ts';
import { startSandbox } from '../../src/server/server.ts';
import { triangleGlb } from '../_test-sandbox.ts';
import { Platform } from './_platform.ts';
import type { Row, Table } from './_rows.ts';

interface Running {
  readonly platform: Platform;
  readonly stop: () => Promise<void>;
}

/** Starts a platform for tables. Live platforms ignore the options and skip rows that need them. */
export type Start = (options: SandboxOptions) => Promise<Running>;

const startMs = Date.UTC(2026, 0, 2, 3, 4, 5);

/** A sandbox on loopback whose clock only moves when a row says so. */
export const startTestSandbox: Start = async (options) => {
  let now = startMs;
  const sandbox = await startSandbox({
    seed: 11,
    rateLimit: 0,
    pictureScale: 0,
    clock: () => now,
    ...options,
  });
  const platform = new Platform({
    baseUrl: sandbox.url,
    apiKey: sandbox.apiKey,
    glb: triangleGlb(['Red', 'Blue']),
    pass: async (seconds) => {
      now += seconds * 1000;
      await sandbox.idle();
    },
  });
  return { platform, stop: () => sandbox.stop() };
};

/** A live platform, given by API root and key. */
export const startLive =
  (baseUrl: string, apiKey: string): Start =>
  async () => {
    const platform = new Platform({ baseUrl, apiKey, glb: triangleGlb(['Red', 'Blue']) });
    return { platform, stop: () => platform.cleanUp() };
  };

export function runTables(tables: readonly Table[], start: Start, isLive = false): void {
  const timeoutMs = isLive ? 900_000 : 20_000;
  for (const { section, rows } of tables) {
    describe(section, { timeout: timeoutMs }, () => {
      let shared: Running | undefined;
      beforeAll(async () => {
        shared = await start({});
      });
      afterAll(() => shared?.stop(), timeoutMs);
      for (const row of rows) {
        const reason = row.only ?? (row.on ? 'needs a workspace of its own' : undefined);
        if (isLive && reason !== undefined) {
          test.skip(`${titleOf(row)} (${reason})`);
        } else {
          test(titleOf(row), () => (row.on ? onOwn(row, start) : run(row, shared?.platform)));
        }
      }
    });
  }
}

async function onOwn(row: Row, start: Start): Promise<void> {
  const own = await start(row.on ?? {});
  try {
    await run(row, own.platform);
  } finally {
    await own.stop();
  }
}

async function run(row: Row, platform: Platform | undefined): Promise<void> {
  if (!platform) throw new Error('No platform was started.');
  try {
    if ('check' in row) await row.check(platform);
    else await platform.meets(row.send, row, row.is);
  } finally {
    await platform.endRow();
  }
}

function titleOf(row: Row): string {
  if ('check' in row) return row.rule;
  const sent = row.raw ?? (row.body === undefined ? '' : JSON.stringify(row.body));
  const short = sent.length > 120 ? `${sent.slice(0, 117)}...` : sent;
  return `${row.rule}: ${row.send} ${short}`.trimEnd();
}
