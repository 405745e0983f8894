// Helpers: deliver an asset whose model is missing, and make a connector fail at one of its changes.
import { createHash } from 'node:crypto';
import type { Connector } from '../../src/connectors/connector.ts';
import { ModelCells } from '../../src/features/delivery/withdrawal/shared-files.ts';
import type { WithdrawContext } from '../../src/features/delivery/withdrawal/withdraw-asset.ts';
import { withdrawAsset } from '../../src/features/delivery/withdrawal/withdraw-asset.ts';
import type { DeliveredFile, Stages } from '../../src/plan/types.ts';
import type { WithdrawalPolicy, WithdrawalRules } from '../../src/plan/withdrawal.ts';
import { nameInState } from '../../src/store/records/withdrawal-state.ts';
import type { RunStore } from '../../src/store/runs/run-store.ts';
import { colorway, inCell } from '../plan/_cells.ts';
import { recipe, sourceOf, storeOn } from '../store/_store.ts';

export const mark = 'd1d1d1d1';
export const key = 'shoe';
export const contents = { 'shoe/front.png': 'the front', 'shoe/back.png': 'the back' };

const stages: Stages = {
  source: 's',
  composition: 'c',
  render: 'r',
  sheet: 'h',
  deliveries: { deliver: { fingerprint: mark, connector: 'pictures' } },
};

export const rulesOf = (policy: WithdrawalPolicy): WithdrawalRules => ({
  exports: { [mark]: { connector: 'pictures', policy } },
});

export function fileOf(path: string, content: string): DeliveredFile {
  const sha256 = createHash('sha256').update(content).digest('hex');
  const size = { width: 1, height: 1, bytes: Buffer.byteLength(content) };
  return { key, path, ...size, sha256, output: path, delivery: mark };
}

/** Writes the files and the record of a run. @returns the record's name */
export async function delivered(connector: Connector): Promise<string> {
  const store = storeOn(connector, 'first');
  await store.recipes.write(recipe, stages);
  const files = Object.entries(contents).map(([path, content]) => fileOf(path, content));
  for (const [path, content] of Object.entries(contents)) {
    await connector.write(path, Buffer.from(content));
  }
  return store.records.write({
    key,
    source: sourceOf(key),
    recipe,
    platformIds: {},
    files,
    run: 'first',
    lineage: 'first',
    finishedAt: '2026-01-01T00:00:00.000Z',
  });
}

export const arFile = 'ar/chair.glb';

/**
 * Writes a picture and a record for each colorway of a chair, and one AR file. All records name the AR file in their
 * platform ids; only the record of the first colorway lists it among its files. @returns the names of the records
 */
export async function deliveredCells<Names extends string[]>(
  connector: Connector,
  ...colorways: Names
): Promise<{ [Index in keyof Names]: string }> {
  const store = storeOn(connector, 'first');
  await store.recipes.write(recipe, stages);
  await connector.write(arFile, Buffer.from('the chair'));
  const shared = { ...fileOf(arFile, 'the chair'), key: `chair@${colorways[0]}` };
  const written = colorways.map(async (name, index) => {
    const of = `chair@${name}`;
    const picture = { ...fileOf(`chair/${name}.png`, name), key: of };
    await connector.write(picture.path, Buffer.from(name));
    return store.records.write({
      key: of,
      source: inCell(sourceOf('chair'), 'chair', colorway(name)),
      recipe,
      platformIds: { modelFiles: [shared] },
      files: index === 0 ? [picture, shared] : [picture],
      run: 'first',
      lineage: 'first',
      finishedAt: '2026-01-01T00:00:00.000Z',
    });
  });
  // One name for each colorway.
  return (await Promise.all(written)) as { [Index in keyof Names]: string };
}

export function contextOn(
  connector: Connector,
  run: string,
  policy: WithdrawalPolicy,
  more: Partial<WithdrawContext> = {},
): WithdrawContext & { store: RunStore } {
  return {
    store: storeOn(connector, run),
    rules: rulesOf(policy),
    getConnector: () => connector,
    source: { connector },
    cells: new ModelCells(),
    isAlive: async () => false,
    assertLease: async () => undefined,
    signal: new AbortController().signal,
    ...more,
  };
}

export const withdrawing = (
  name: string,
  connector: Connector,
  run: string,
  policy: WithdrawalPolicy = 'archive',
  more: Partial<WithdrawContext> = {},
) => withdrawAsset(name, contextOn(connector, run, policy, more));

/** Files at the destination, by path. */
export async function filesOn(connector: Connector): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for await (const path of connector.names('')) {
    if (!path.startsWith('.')) files[path] = (await connector.read(path)).toString();
  }
  return files;
}

/** The states in which the asset has a record. */
export async function statesOn(connector: Connector, name: string): Promise<string[]> {
  const { records } = storeOn(connector, 'look');
  const states: string[] = [];
  for (const state of [null, 'leaving', 'withdrawn'] as const) {
    if ((await records.read(nameInState(name, state))) !== null) states.push(state ?? 'delivered');
  }
  return states;
}

export class Killed extends Error {
  override name = 'Killed';
}

/** A connector that fails at change number `at`, before or after its effect, and at every later change. */
export function dying(connector: Connector, at: number, when: 'before' | 'after'): Connector {
  let changes = 0;
  const change = async <T>(work: () => Promise<T>): Promise<T> => {
    changes += 1;
    if (changes > at || (changes === at && when === 'before')) throw new Killed();
    const result = await work();
    if (changes === at) throw new Killed();
    return result;
  };
  return new Proxy(connector, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== 'function') return value;
      const call = value.bind(target) as (...args: unknown[]) => Promise<unknown>;
      if (name === 'write' || name === 'remove')
        return (...args: unknown[]) => change(() => call(...args));
      if (name !== 'stage') return call;
      return async (path: string) => {
        const staged = await target.stage(path);
        return {
          file: staged.file,
          write: (chunk: Uint8Array) => staged.write(chunk),
          commit: () => change(() => staged.commit()),
          discard: () => staged.discard(),
        };
      };
    },
  });
}
