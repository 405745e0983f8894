// With --data, acknowledged changes survive a stop, a kill, and a truncated journal line.
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Journal, JournalError } from '../../src/state/journal.ts';
import { listNewestFirst, Table } from '../../src/state/table.ts';
import { createModel, createProject, finishRender, readyModel, startRender } from '../_flows.ts';
import { TestSandbox, triangleGlb } from '../_test-sandbox.ts';

let data: string;
let running: TestSandbox[];
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'renderline-data-'));
  running = [];
});
afterEach(async () => {
  for (const sandbox of running) await sandbox.sandbox.close();
  rmSync(data, { recursive: true, force: true });
});

function start(now?: number): TestSandbox {
  const sandbox = new TestSandbox({ data, allowPrivateUrls: true });
  if (now !== undefined) sandbox.now = now;
  running.push(sandbox);
  return sandbox;
}

/** Like a restart after SIGKILL: the first sandbox is no longer used. */
function killAndStart(old: TestSandbox): TestSandbox {
  return start(old.now);
}

describe('after a kill', () => {
  test('the key, models, projects, renders and files are unchanged after a kill', async () => {
    const before = start();
    const modelId = await readyModel(before);
    const projectId = await createProject(before, [modelId]);
    const { jobId, batchId } = await startRender(before, [projectId]);
    const job = await finishRender(before, jobId);
    const routes = [
      `/models/${modelId}`,
      '/models',
      `/projects/${projectId}`,
      '/projects',
      `/renders/${jobId}`,
      `/renders/batch/${batchId}`,
      '/renders',
    ];
    const answers = async (sandbox: TestSandbox) => {
      const texts: string[] = [];
      for (const route of routes) texts.push((await sandbox.call(`GET ${route}`)).text);
      return texts;
    };
    const after = killAndStart(before);
    expect(after.apiKey).toBe(before.apiKey);
    expect(await answers(after)).toEqual(await answers(before));
    expect((await after.request(job.renders[0]?.filePath ?? '')).status).toBe(200);
  });

  test('upload links still work after a kill, and models finish processing', async () => {
    const before = start();
    const { modelId, uploadUrl } = await createModel(before);
    const after = killAndStart(before);
    expect((await after.put(uploadUrl, triangleGlb())).status).toBe(200);
    const last = killAndStart(after);
    last.advance(6);
    const { body } = await last.call('POST /models/status', { modelIds: [modelId] });
    expect(body).toMatchObject({ allReady: true });
  });

  test('a render that was running is drawn and completed after a kill', async () => {
    const before = start();
    const projectId = await createProject(before, [await readyModel(before)]);
    const { jobId } = await startRender(before, [projectId]);
    const after = killAndStart(before);
    expect((await finishRender(after, jobId)).status).toBe('COMPLETED');
  });

  test('a used idempotency key returns the same response after a kill', async () => {
    const before = start();
    const key = { 'idempotency-key': 'kept' };
    const body = { models: [{ fileType: 'glb' }] };
    const first = await before.call('POST /models', body, key);
    const after = killAndStart(before);
    expect((await after.call('POST /models', body, key)).text).toBe(first.text);
    expect((await after.call('GET /models')).body).toMatchObject({ total: 1 });
  });

  test('a deleted model stays deleted after a kill, and its id is not reused', async () => {
    const before = start();
    const { modelId } = await createModel(before);
    await before.call(`DELETE /models/${modelId}`);
    const after = killAndStart(before);
    expect((await after.call(`GET /models/${modelId}`)).status).toBe(404);
    expect((await createModel(after)).modelId).not.toBe(modelId);
  });

  test('an import continues after a kill', async () => {
    const answers = [
      // The connection is kept open, so that the first process ends during its download.
      (response: import('node:http').ServerResponse) => response.writeHead(200).flushHeaders(),
      (response: import('node:http').ServerResponse) => void response.end(triangleGlb()),
    ];
    const server = createServer((_request, response) => answers.shift()?.(response));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.glb`;
    const before = start();
    const { body } = await before.call<{ modelId: string }>('POST /models/import', { url });
    const after = killAndStart(before);
    await after.sandbox.idle();
    after.advance(6);
    const status = await after.call('POST /models/status', { modelIds: [body.modelId] });
    expect(status.body).toMatchObject({ allReady: true });
    server.closeAllConnections();
    server.close();
  });

  test('a truncated last line is dropped, and all lines before it are kept', async () => {
    const before = start();
    const { modelId } = await createModel(before);
    appendFileSync(join(data, 'state.jsonl'), '[["models","half');
    const after = killAndStart(before);
    expect((await after.call('GET /models')).body).toMatchObject({
      models: [{ modelId }],
      total: 1,
    });
  });

  test('a file with other contents is not overwritten', () => {
    writeFileSync(join(data, 'state.jsonl'), 'hello\n[]\n');
    expect(() => start()).toThrow(JournalError);
    expect(readFileSync(join(data, 'state.jsonl'), 'utf8')).toBe('hello\n[]\n');
  });
});

test('without --data, no state is stored', async () => {
  const sandbox = new TestSandbox();
  const modelId = await readyModel(sandbox);
  const projectId = await createProject(sandbox, [modelId]);
  await finishRender(sandbox, (await startRender(sandbox, [projectId])).jobId);
  await sandbox.sandbox.close();
  expect(existsSync(join(data, 'state.jsonl'))).toBe(false);
});

describe('the journal', () => {
  interface Row {
    readonly id: string;
    readonly value: number;
  }
  const steps = fc.array(
    fc.record({
      id: fc.constantFrom('a', 'b', 'c', 'd'),
      value: fc.integer(),
      act: fc.constantFrom('put', 'put', 'remove', 'flush', 'compact'),
    }),
    { maxLength: 40 },
  );

  test('the journal loads exactly the records of the table, after any sequence of changes', () => {
    fc.assert(
      fc.property(steps, (script) => {
        rmSync(join(data, 'state.jsonl'), { force: true });
        const journal = new Journal(data);
        journal.compact([]);
        const table = new Table<Row>('rows', journal);
        for (const { id, value, act } of script) {
          const row = table.get(id);
          if (act === 'flush') journal.flush();
          else if (act === 'compact') {
            journal.compact(table.all.map((each) => ['rows', each.id, each]));
          } else if (act === 'remove') table.remove(id);
          else if (row) table.update(row, { value });
          else table.insert({ id, value });
        }
        journal.close();
        const latest = new Map<string, unknown>();
        for (const [, id, record] of new Journal(data).load()) {
          if (record === null) latest.delete(id);
          else latest.set(id, record);
        }
        expect([...latest.values()]).toEqual(expect.arrayContaining([...table.all]));
        expect(latest.size).toBe(table.size);
      }),
      { numRuns: 60 },
    );
  });

  test('a late update does not restore a removed record', () => {
    const journal = new Journal(undefined);
    const table = new Table<Row>('rows', journal);
    const row = table.insert({ id: 'a', value: 1 });
    table.remove('a');
    table.update(row, { value: 2 });
    expect([table.get('a'), table.size]).toEqual([undefined, 0]);
  });
});

test('pages are sorted newest first, and contain each item of a list once', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), fc.integer({ min: 1, max: 100 }), (all, limit) => {
      const seen: number[] = [];
      for (let offset = 0; offset < all.length + limit; offset += limit) {
        seen.push(...listNewestFirst(all, limit, offset));
      }
      expect(seen).toEqual(all.toReversed());
    }),
  );
});
