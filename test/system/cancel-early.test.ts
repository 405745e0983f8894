// A run that is cancelled while it starts its shards, with activities that do nothing.
import { NativeConnection, Worker } from '@temporalio/worker';
import { expect, inject, test } from 'vitest';
import type { Activities, RunInput, RunProgress } from '../../src/plan/contract.ts';
import { workflowNames } from '../../src/plan/contract.ts';
import { messages } from '../../src/plan/messages.ts';
import { planSchema } from '../../src/plan/types.ts';
import { step } from '../plan/_steps.ts';
import { withClient } from './_histories.ts';
import { until } from './_stack.ts';
import { useDevServer } from './_temporal.ts';

const temporal = useDevServer();
const folder = { type: 'local', path: '/nowhere' };
const shards = 60;

const input: RunInput = {
  plan: {
    schema: planSchema,
    hash: 'h',
    pipeline: 'trial',
    file: 'trial.yaml',
    parameters: {},
    connectors: {},
    records: folder,
    destination: folder,
    recipe: 'r',
    discovery: { node: 'take', activity: 'connector_poll', config: {}, key: null },
    steps: [step('look')],
    shardSize: 1,
    window: shards,
    route: [],
  },
  run: 'early',
  lineage: 'early',
  epoch: 0,
  searchable: false,
};

test('it ends all the same, and counts what it never began', async () => {
  const { address, namespace } = temporal.server;
  await withClient(temporal.env, async ({ client: { workflow } }) => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const activities: Partial<Activities> = {
      discover: async () => {
        const counts = { total: shards, new: shards, changed: 0, unchanged: 0 };
        return { ...counts, refused: 0, pages: shards };
      },
      open_shard: async ({ shard }) => {
        if (shard === 0) await workflow.getHandle('early').cancel();
        await held;
        return { assets: [0], complete: [], keys: [String(shard)], taken: [], pages: [] };
      },
      settle: async () => undefined,
      end_strays: async () => undefined,
    };
    const connection = await NativeConnection.connect({ address });
    const worker = await Worker.create({
      connection,
      namespace,
      taskQueue: 'early',
      workflowBundle: { codePath: inject('workflowBundle') },
      activities,
    });
    await worker.runUntil(async () => {
      const args: [RunInput] = [input];
      const options = { taskQueue: 'early', workflowId: 'early', args };
      const handle = await workflow.start(workflowNames.run, options);
      const look = () => handle.query<RunProgress>(messages.progress);
      await until('it is cancelled', async () => (await look()).state === 'cancelling');
      release();
      await until('it has ended', async () => (await handle.describe()).status.name !== 'RUNNING');
      const { totals, shardsDone } = await look();
      expect(shardsDone).toBeLessThan(shards);
      expect(totals).toMatchObject({ total: shards, complete: 0 });
    });
    await connection.close();
  });
}, 40_000);
