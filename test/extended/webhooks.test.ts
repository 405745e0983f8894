// Notifications on a real server: a run polls when a notification arrives, and falls back to polling alone when the
// receiver is gone.
import { beforeAll, describe, expect, test } from 'vitest';
import { names, writeModels } from '../system/_models.ts';
import {
  createPipelineFolder,
  expectOnce,
  expectPictures,
  joined,
  type PipelineFolder,
  reportOf,
  startRun,
} from '../system/_runs.ts';
import { type SandboxInUse, startSandbox } from '../system/_sandbox.ts';
import {
  type Env,
  type RunningProcess,
  start,
  startWorkerProcess,
  useProcesses,
  waitWhileRunning,
} from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();

interface World {
  sandbox: SandboxInUse;
  env: Env;
  receiver: RunningProcess;
  health(): Promise<Record<string, number>>;
}

/** Speed 5: models take about a second, renders up to two. */
async function world(): Promise<World> {
  const sandbox = await startSandbox([
    '--speed',
    '5',
    '--picture-scale',
    '0',
    '--allow-private-urls',
  ]);
  const receiver = start(['webhooks', '--port', '0', '--json'], {
    ...joined(temporal.env, sandbox.env),
    RENDERLINE_WEBHOOK_SECRET: await register(sandbox, 'http://127.0.0.1:9/not-yet'),
  });
  await receiver.waitForOutput('}');
  const { url, wakeUpsUrl, healthUrl } = JSON.parse(receiver.stdout()) as Record<string, string>;
  await register(sandbox, url ?? '');
  return {
    sandbox,
    receiver,
    env: joined(temporal.env, sandbox.env, { RENDERLINE_WAKE_UPS_URL: wakeUpsUrl ?? '' }),
    health: async () => {
      const answer = await (await fetch(healthUrl ?? '')).json();
      return (answer as { notifications: Record<string, number> }).notifications;
    },
  };
}

async function register(sandbox: SandboxInUse, url: string): Promise<string> {
  return ((await sandbox.api('PUT', '/webhooks', { url })) as { secret: string }).secret;
}

async function listening(env: Env): Promise<RunningProcess> {
  const worker = await startWorkerProcess(env);
  await worker.waitForOutput('connected to the receiver for wake-ups');
  return worker;
}

async function modelsIn(place: PipelineFolder, prefix: string, count: number): Promise<string[]> {
  const keys = names(prefix, count);
  await writeModels(place.folder, keys);
  return keys;
}

describe('a run with a receiver', () => {
  let told: World;
  let worker: RunningProcess;
  beforeAll(async () => {
    told = await world();
    worker = await listening(told.env);
  });

  test('a run completes even if notifications are repeated, late, reordered or forged', async () => {
    await told.sandbox.set('faults', [
      { event: 'model.*', every: 3, do: { repeat: 20 } },
      { event: 'model.*', every: 4, do: { delayMs: 700 } },
      { event: 'render.*', every: 3, do: { reorder: true } },
      { event: '*', every: 2, do: { forge: 'tampered' } },
      { event: '*', every: 5, do: { forge: 'unsigned' } },
    ]);
    const place = await createPipelineFolder('told');
    const keys = await modelsIn(place, 'told', 12);
    const before = await told.sandbox.stats();
    const report = reportOf(await startRun(place, told.env).finished);
    await expectPictures(report, keys);
    expectOnce(
      before,
      await told.sandbox.stats(),
      keys.map((key) => `${key}.glb`),
    );
    const { accepted = 0, refused = 0, repeated = 0 } = await told.health();
    expect(Math.min(accepted, refused, repeated)).toBeGreaterThan(0);
  });

  test('a run completes even if every notification is lost', async () => {
    await told.sandbox.set('faults', [{ event: '*', do: { drop: true } }]);
    const place = await createPipelineFolder('lost');
    const keys = await modelsIn(place, 'lost', 3);
    await expectPictures(reportOf(await startRun(place, told.env).finished), keys);
  });

  test('a run trusts the API rather than a signed notification that is wrong', async () => {
    await told.sandbox.set('faults', [
      { model: '**', do: { durationMs: 3_000 } },
      { event: '*', do: { drop: true } },
    ]);
    const place = await createPipelineFolder('lies');
    const keys = await modelsIn(place, 'lies', 2);
    const running = startRun(place, told.env);
    await waitWhileRunning(running, 'the models are there', async () => {
      const { models } = (await told.sandbox.api('GET', '/models')) as {
        models: { modelId: string; name: string; status: string }[];
      };
      const busy = models.filter((one) => one.name.includes('lies') && one.status === 'ANALYZING');
      if (busy.length < 2) return false;
      await told.sandbox.set('faults', []);
      for (const { modelId } of busy) {
        await told.sandbox.set('events', { event: 'model.processed', data: { modelId } });
      }
      return true;
    });
    await expectPictures(reportOf(await running.finished), keys);
  });

  test("a worker stops within ten seconds even while its run's waits are held", async () => {
    await told.sandbox.set('faults', [{ model: '**', do: { durationMs: 4_000 } }]);
    const place = await createPipelineFolder('stops');
    const keys = await modelsIn(place, 'stops', 2);
    const running = startRun(place, told.env);
    await waitWhileRunning(running, 'models are processed', async () => {
      const { created } = await told.sandbox.stats();
      return created.models >= 19;
    });
    const startedMs = Date.now();
    await worker.stop();
    expect(Date.now() - startedMs).toBeLessThan(10_000);
    worker = await listening(told.env);
    await expectPictures(reportOf(await running.finished), keys);
  });

  test.each(['worker', 'receiver'] as const)(
    'a run survives the death of the %s without loss or duplicates',
    async (victim) => {
      const { sandbox, env, receiver } = told;
      await sandbox.set('faults', [{ render: '**', do: { durationMs: 4_000 } }]);
      const place = await createPipelineFolder(`killed-${victim}`);
      const keys = await modelsIn(place, `killed-${victim}`, 4);
      const before = await sandbox.stats();
      const running = startRun(place, env);
      await waitWhileRunning(running, 'renders are under way', async () => {
        const { created } = await sandbox.stats();
        return created.renderJobs === before.created.renderJobs + 4;
      });
      await (victim === 'receiver' ? receiver : worker).stop('SIGKILL');
      if (victim === 'receiver') await worker.waitForOutput('no wake-ups from the receiver');
      else worker = await listening(env);
      const report = reportOf(await running.finished);
      await expectPictures(report, keys);
      expectOnce(
        before,
        await sandbox.stats(),
        keys.map((key) => `${key}.glb`),
      );
    },
  );
});
