// The real dev server and the real time-skipping server: start, readiness, stop, and no process that is left over.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { connectTemporal, connectWorker } from '../../src/temporal/connection/connect.ts';
import {
  checkSearchAttributes,
  ensureSearchAttributes,
  searchAttributeKeys,
} from '../../src/temporal/search-attributes.ts';
import {
  type DevServer,
  type DevServerOptions,
  startDevServer,
} from '../../src/temporal/server/dev-server.ts';
import { workflowUrl } from '../../src/temporal/ui-links.ts';
import { useDevServer, useTimeSkipping } from '../system/_temporal.ts';
import { isRunning } from '../temporal/_processes.ts';
import { type Compiled, compileForNode } from './_compiled.ts';

const started: DevServer[] = [];

async function start(options: Partial<DevServerOptions> = {}): Promise<DevServer> {
  const server = await startDevServer({ binary: inject('temporalBinary'), ui: false, ...options });
  started.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.stop()));
});

describe('a running dev server', () => {
  const inUse = useDevServer({ ui: true, namespace: 'team' });

  test("a dev server indexes a new workflow's search attributes within seconds", async () => {
    const temporal = await connectTemporal({ env: inUse.env });
    const workflowId = 'nightly/2026-11-21';
    await temporal.client.workflow.start('noWorkerTakesThis', {
      taskQueue: 'nobody',
      workflowId,
      typedSearchAttributes: [
        { key: searchAttributeKeys.pipeline, value: 'nightly' },
        { key: searchAttributeKeys.failedKeys, value: ['shoe-7', 'shoe-8'] },
      ],
    });
    const query = "RenderlinePipeline = 'nightly' AND RenderlineFailedKeys = 'shoe-8'";
    await expect
      .poll(() => temporal.client.workflow.count(query).then((found) => found.count), {
        timeout: 10_000,
      })
      .toBe(1);
    await temporal.close();
  });

  test('a dev server serves its UI at the address that `workflowPage` returns', async () => {
    const page = workflowUrl(inUse.server.uiAddress, 'team', 'nightly/2026-11-21');
    const response = await fetch(page, { signal: AbortSignal.timeout(10_000) });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('<html');
  });

  test('a dev server reports a missing namespace with a specific code', async () => {
    const env = { ...inUse.env, TEMPORAL_NAMESPACE: 'tema' };
    await expect(connectTemporal({ env })).rejects.toMatchObject({
      name: 'NamespaceNotFoundError',
      message: `The namespace "tema" (from TEMPORAL_NAMESPACE) does not exist on the Temporal server at ${inUse.server.address}.`,
    });
  });

  test('a dev server accepts a worker', async () => {
    const worker = await connectWorker({ env: inUse.env });
    expect(worker.namespace).toBe('team');
    await worker.close();
  });

  test('a dev server reports that a list attribute exceeds the limit, and adds the attributes that fit', async () => {
    const temporal = await connectTemporal({ env: inUse.env });
    const wanted = [
      { name: 'RoomyKey', type: 'Keyword' },
      { name: 'FourthList', type: 'KeywordList' },
    ] as const;
    const report = await ensureSearchAttributes(temporal.connection, 'team', wanted);
    expect(report).toMatchObject({
      added: [{ name: 'RoomyKey' }],
      overLimit: [{ name: 'FourthList' }],
      reason: expect.stringMatching(/cannot have more than 3 search attribute of type KeywordList/),
    });
    await temporal.close();
  });

  test('a dev server reports missing search attributes, and parallel callers add each of them once', async () => {
    const temporal = await connectTemporal({ env: inUse.env });
    const wanted = [
      { name: 'ExtraKey', type: 'Keyword' },
      { name: 'ExtraOther', type: 'Keyword' },
    ] as const;
    const before = await checkSearchAttributes(temporal.connection, 'team', wanted);
    expect(before.missing).toEqual(wanted);
    expect(before.lines[0]).toBe(
      'temporal operator search-attribute create --namespace team --name ExtraKey --type Keyword',
    );
    await Promise.all(
      [1, 2, 3].map(() => ensureSearchAttributes(temporal.connection, 'team', wanted)),
    );
    const after = await ensureSearchAttributes(temporal.connection, 'team', wanted);
    expect(after).toEqual({
      added: [],
      missing: [],
      overLimit: [],
      conflicting: [],
      reason: '',
      lines: [],
    });
    const other = [{ name: 'ExtraKey', type: 'KeywordList' }] as const;
    const conflict = await ensureSearchAttributes(temporal.connection, 'team', other);
    expect(conflict.conflicting).toEqual(other);
    await temporal.close();
  });
});

describe('starting and stopping', () => {
  test('two servers that start together use different ports, and stopping one does not affect the other', async () => {
    const [first, second] = await Promise.all([start(), start()]);
    expect(first.address).not.toBe(second.address);
    await first.stop();
    await first.stop();
    expect(await first.exited).toEqual({ code: 0, signal: null });
    expect(await accepts(first.address)).toBe(false);
    expect(await accepts(second.address)).toBe(true);
  });

  test('a workflow still exists after a server restarts with the same file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'renderline-restart-'));
    const dbFilename = join(folder, 'state', 'temporal.db');
    const first = await start({ dbFilename });
    const temporal = await connectTemporal({ env: { TEMPORAL_ADDRESS: first.address } });
    await temporal.client.workflow.start('noWorkerTakesThis', {
      taskQueue: 'q',
      workflowId: 'kept',
    });
    await temporal.close();
    await first.stop();
    const second = await start({ dbFilename });
    const again = await connectTemporal({ env: { TEMPORAL_ADDRESS: second.address } });
    const described = await again.client.workflow.getHandle('kept').describe();
    expect(described.status.name).toBe('RUNNING');
    await again.close();
    await second.stop();
    await rm(folder, { recursive: true });
  });

  test('a file that another server is using is refused, and accepted once that server has ended', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'renderline-shared-'));
    const dbFilename = join(folder, 'temporal.db');
    const first = await start({ dbFilename });
    await expect(start({ dbFilename })).rejects.toThrow(
      `a Temporal server started by process ${process.pid} on ${hostname()} uses ${dbFilename}; stop that server`,
    );
    process.kill(first.pid, 'SIGKILL');
    await first.exited;
    const second = await start({ dbFilename });
    await second.stop();
    await rm(folder, { recursive: true });
  });

  test("the error about a port that is in use contains the server's output", async () => {
    const first = await start();
    const grpc = Number(first.address.split(':')[1]);
    await expect(start({ ports: { grpc, ui: grpc } })).rejects.toThrow(/address already in use/);
  });

  test('`exited` reports the signal that killed the server', async () => {
    const server = await start();
    process.kill(server.pid, 'SIGKILL');
    expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });
  });
});

describe('a server that belongs to an owner process', () => {
  let compiled: Compiled;
  const owners: ChildProcess[] = [];

  beforeAll(async () => {
    compiled = await compileForNode(
      'src/temporal/server/dev-server.ts',
      'src/temporal/server/test-server.ts',
    );
    await writeFile(join(compiled.folder, 'package.json'), '{ "type": "module" }');
    await writeFile(join(compiled.folder, 'owner.js'), OWNER);
    await writeFile(join(compiled.folder, 'skipper.js'), SKIPPER);
  });

  afterAll(async () => {
    for (const owner of owners) owner.kill('SIGKILL');
    await rm(compiled.folder, { recursive: true, force: true });
  });

  async function startOwner(script = 'owner.js', server = inject('temporalBinary')) {
    const args = [join(compiled.folder, script), server];
    const owner = spawn(process.execPath, args, {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    owners.push(owner);
    const lines: string[] = [];
    owner.stdout.on('data', (chunk: Buffer) => lines.push(...chunk.toString().trim().split('\n')));
    await expect.poll(() => lines[0], { timeout: 60_000 }).toMatch(/^\d+$/);
    return { owner, lines, pid: Number(lines[0]) };
  }

  test('the server ends when its owner is killed with kill -9', async () => {
    const { owner, pid } = await startOwner();
    expect(isRunning(pid)).toBe(true);
    owner.kill('SIGKILL');
    await expect.poll(() => isRunning(pid), { timeout: 20_000 }).toBe(false);
  });

  test('the server ends when the process group of its owner is killed', async () => {
    const { owner, pid } = await startOwner();
    process.kill(-(owner.pid ?? 0), 'SIGKILL');
    await expect.poll(() => isRunning(pid), { timeout: 20_000 }).toBe(false);
  });

  test('the server ends when its owner exits without stopping it', async () => {
    const { owner, pid } = await startOwner();
    owner.kill('SIGUSR2');
    await expect.poll(() => isRunning(pid), { timeout: 20_000 }).toBe(false);
  });

  test('a time-skipping server also ends when its owner is killed with kill -9', async () => {
    const { owner, pid } = await startOwner('skipper.js', inject('testServerPath'));
    expect(isRunning(pid)).toBe(true);
    owner.kill('SIGKILL');
    await expect.poll(() => isRunning(pid), { timeout: 20_000 }).toBe(false);
  });

  test('the server keeps responding while its owner shuts down after Ctrl-C, and has ended when the owner exits', async () => {
    const { owner, lines, pid } = await startOwner();
    const end = new Promise((resolve) => owner.once('exit', resolve));
    // As a terminal sends it: the signal is for every process of the group.
    process.kill(-(owner.pid ?? 0), 'SIGINT');
    expect(await end).toBe(130);
    expect(lines.slice(1)).toEqual(['answered during shutdown', 'stopped']);
    expect(isRunning(pid)).toBe(false);
  });
});

describe('the time-skipping server', () => {
  const inUse = useTimeSkipping();

  test('the time-skipping server leaves an archive of its classes for quick starts', async () => {
    const { size } = await stat(join(dirname(inject('testServerPath')), 'classes.jsa'));
    expect(size).toBeGreaterThan(2 ** 20);
  });

  test('the time-skipping server needs only seconds for a workflow that sleeps for an hour', async () => {
    const { environment } = inUse;
    const worker = await Worker.create({
      connection: environment.nativeConnection,
      taskQueue: 'sleepers',
      workflowsPath: fileURLToPath(new URL('./_sleeper-workflow.ts', import.meta.url)),
    });
    const startedAtMs = await environment.currentTimeMs();
    const result = await worker.runUntil(
      environment.client.workflow.execute('sleepOneHour', {
        taskQueue: 'sleepers',
        workflowId: 'sleeper',
      }),
    );
    expect(result).toBe('woke');
    expect((await environment.currentTimeMs()) - startedAtMs).toBeGreaterThanOrEqual(3_600_000);
  });
});

const SKIPPER = `
import { execFileSync } from 'node:child_process';
import { startTimeSkipping } from './src/temporal/server/test-server.js';
const environment = await startTimeSkipping(process.argv[2]);
const children = execFileSync('ps', ['-o', 'pid=,ppid=,comm=', '-A'], { encoding: 'utf8' })
  .split('\\n')
  .map((line) => line.trim().split(/ +/))
  .filter(([, ppid, name]) => Number(ppid) === process.pid && name !== 'ps');
console.log(children[0][0]);
setInterval(() => environment, 2 ** 30);
`;

const OWNER = `
import { connect } from 'node:net';
import { startDevServer } from './src/temporal/server/dev-server.js';
const server = await startDevServer({ binary: process.argv[2], ui: false });
const [host, port] = server.address.split(':');
process.on('SIGUSR2', () => process.exit(1));
process.on('SIGINT', () => {
  const socket = connect(Number(port), host, async () => {
    console.log('answered during shutdown');
    socket.destroy();
    await server.stop();
    console.log('stopped');
    process.exit(130);
  });
});
// This line comes last, because its reader sends signals immediately.
console.log(server.pid);
`;

function accepts(address: string): Promise<boolean> {
  const [host = '', port = ''] = address.split(':');
  return new Promise((resolve) => {
    const socket = connect(Number(port), host);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
