// Files that are uploaded separately because they need a category. Each file is uploaded once, even if workers die.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import { LocalConnector } from '../../src/connectors/local.ts';
import { Semaphore } from '../../src/engine/transfer-semaphore.ts';
import type { Asset, Plan } from '../../src/plan/types.ts';
import { sourceOf } from '../../src/store/records/source-version.ts';
import { planOf } from '../compile/_compile.ts';
import { countRequests } from './_creating-calls.ts';
import { SandboxRun } from './_sandbox-run.ts';

let at: SandboxRun;
let plan: Plan;

beforeEach(async () => {
  at = await SandboxRun.start();
  plan = planOf(
    `name: shoes
parameters: { folder: { type: path, required: true } }
connectors: { files: { type: local, path: "\${{ params.folder }}" } }
records: files
nodes:
  - { id: take, type: connector_poll, config: { connector: files, category: SHOES } }
  - { id: ready, type: model_ready, parentIds: [take] }
`,
    { folder: at.folder },
  );
});

afterEach(() => at.stop());

async function assets(...names: string[]): Promise<Asset[]> {
  const connector = new LocalConnector({ type: 'local', path: at.folder });
  const made: Asset[] = [];
  for (const key of names) {
    const path = `${key}.glb`;
    await writeFile(join(at.folder, path), triangleGlb());
    const entry = await connector.stat(path);
    if (entry !== null) made.push({ key, source: sourceOf(entry), platformIds: {} });
  }
  return made;
}

/** A connector that calls back before the file of this name is sent. */
function connectorWithout(name: string, trouble: () => Promise<unknown>) {
  return () => {
    const connector = new LocalConnector({ type: 'local', path: at.folder });
    const open = connector.open.bind(connector);
    connector.open = async (path) => {
      if (path.startsWith(name)) await trouble();
      return open(path);
    };
    return connector;
  };
}

async function models(): Promise<string[]> {
  const { models: all } = await at.client.listModels();
  return all.map(({ name, status }) => `${name} ${status}`).sort();
}

describe('models that are uploaded separately', () => {
  it.each([
    ['immediately', 0, 0],
    ['while its links are valid', 58 * 60, 0],
    ['after its links have expired (1 h)', 62 * 60, 1],
  ])(
    'an attempt that continues %s creates only missing models',
    async (_when, seconds, renewed) => {
      const listed = await assets('boot', 'shoe');
      const getConnector = connectorWithout('shoe', () => Promise.reject(new Error('down')));
      const first = at.runPlan(plan, listed, { after: '', getConnector });
      await expect(first).rejects.toThrow('down');
      await at.sandbox.idle();
      at.pass(60 + seconds);
      const settled = await at.runPlan(plan, listed, { after: '' });
      expect(settled.map(({ outcome }) => outcome)).toEqual(['complete', 'complete']);
      expect(await models()).toEqual(['boot READY', 'shoe READY']);
      // A useless record is deleted after its replacement was created.
      expect(await countRequests(at, 'deleteModel')).toBe(renewed);
    },
  );

  it('a link that expires while other files are uploaded leaves one model per file', async () => {
    const listed = await assets('boot', 'shoe');
    let late = true;
    const getConnector = connectorWithout('shoe', async () => {
      if (late) at.pass(2 * 3_600);
      late = false;
    });
    // The files are uploaded one after another, so that the first is uploaded before the second is late.
    const settled = await at.runPlan(plan, listed, {
      after: '',
      getConnector,
      transfers: Semaphore.of(1),
    });
    expect(settled.map(({ outcome }) => outcome)).toEqual(['complete', 'complete']);
    expect(await models()).toEqual(['boot READY', 'shoe READY']);
  });

  it('a record whose file is refused is deleted', async () => {
    const listed = await assets('boot', 'shoe');
    const getConnector = connectorWithout('shoe', () =>
      writeFile(join(at.folder, 'shoe.glb'), 'other'),
    );
    const settled = await at.runPlan(plan, listed, { after: '', getConnector });
    expect(settled.map(({ failure }) => failure?.code)).toEqual([undefined, 'SOURCE_CHANGED']);
    expect(await models()).toEqual(['boot READY']);
  });
});
