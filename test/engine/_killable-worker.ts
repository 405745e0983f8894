// A worker that dies right after its nth effect: a request to the platform, a write to the records, or an uploaded
// file.
import type { Deps } from '../../activities/deps.ts';
import type { Client } from '../../src/api/client.ts';
import { operations } from '../../src/api/operations/index.ts';
import type { Connector } from '../../src/connectors/connector.ts';
import { openRunStore } from '../../src/features/run-store.ts';

/** Simulates the death of a worker; the outcome of its work is unknown. */
export class WorkerKilledError extends Error {
  override name = 'WorkerKilledError';
}

export class EffectCounter {
  count = 0;
  readonly #fatalEffect: number;

  /** @param fatalEffect number of the effect after which the worker dies, from 1 */
  constructor(fatalEffect: number) {
    this.#fatalEffect = fatalEffect;
  }

  async after<T>(effect: Promise<T>): Promise<T> {
    if (this.count >= this.#fatalEffect) throw new WorkerKilledError('the worker is dead');
    await Promise.allSettled([effect]);
    this.count += 1;
    if (this.count >= this.#fatalEffect)
      throw new WorkerKilledError(`killed after effect ${this.#fatalEffect}`);
    return effect;
  }
}

/** @param when decides which effects count: requests by operation id, writes as `write`, files as `file` */
export function killableWorker(
  deps: Deps,
  effects: EffectCounter,
  when: (effect: string) => boolean = () => true,
): Deps {
  const client = killableClient(deps.client, effects, when);
  const wrapped = (connector: Connector) => killableConnector(connector, effects, when);
  return {
    ...deps,
    client,
    platformOf: (context) => ({ ...deps.platformOf(context), client }),
    connectorOf: (spec) => wrapped(deps.connectorOf(spec)),
    storeOf: (context) =>
      openRunStore(wrapped(deps.connectorOf(context.records)), context, { now: deps.now }),
  };
}

function killableClient(
  client: Client,
  effects: EffectCounter,
  when: (effect: string) => boolean,
): Client {
  const isCall = (name: string) => Object.hasOwn(operations, name);
  return new Proxy(client, {
    get(target, name: keyof Client) {
      const member: unknown = target[name];
      if (typeof member !== 'function') return member;
      const byName = name === 'send' || name === 'callWithMeta';
      if (!byName && !isCall(name)) return member;
      return (...given: unknown[]) => {
        const operation = byName ? String(given[0]) : name;
        const answer = (member as (...given: unknown[]) => Promise<unknown>)(...given);
        return when(operation) ? effects.after(answer) : answer;
      };
    },
  });
}

function killableConnector(
  connector: Connector,
  effects: EffectCounter,
  when: (effect: string) => boolean,
): Connector {
  return new Proxy(connector, {
    get(target, name) {
      if (name === 'write') {
        return (...given: Parameters<Connector['write']>) => {
          const written = target.write(...given);
          return when('write') ? effects.after(written) : written;
        };
      }
      if (name === 'open') {
        return async (...given: Parameters<Connector['open']>) => {
          const file = await target.open(...given);
          const close = () => (when('file') ? effects.after(file.close()) : file.close());
          return {
            entry: file.entry,
            content: () => file.content(),
            isUnchanged: () => file.isUnchanged(),
            close,
          };
        };
      }
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
