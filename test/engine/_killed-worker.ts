// A worker that dies right after its nth effect: a request to the platform, a write to the records, or a file upload.
import type { Deps } from '../../activities/deps.ts';
import type { Client } from '../../src/api/client.ts';
import { operations } from '../../src/api/operations/index.ts';
import { openRunStore } from '../../src/capabilities/run-store.ts';
import type { Connector } from '../../src/connectors/connector.ts';

/** Thrown by every call of a killed worker; its work in progress is lost. */
export class Killed extends Error {
  override name = 'Killed';
}

export class EffectCounter {
  count = 0;
  readonly #deadly: number;

  /** @param deadly number of the effect after which the worker dies, from 1 */
  constructor(deadly: number) {
    this.#deadly = deadly;
  }

  async after<T>(effect: Promise<T>): Promise<T> {
    if (this.count >= this.#deadly) throw new Killed('the worker is dead');
    await Promise.allSettled([effect]);
    this.count += 1;
    if (this.count >= this.#deadly) throw new Killed(`killed after effect ${this.#deadly}`);
    return effect;
  }
}

/** @param when selects the effects that count: requests by operation id, record writes as `write`, files as `file` */
export function killedWorker(
  deps: Deps,
  effects: EffectCounter,
  when: (effect: string) => boolean = () => true,
): Deps {
  const client = killedClient(deps.client, effects, when);
  const wrapped = (connector: Connector) => killedConnector(connector, effects, when);
  return {
    ...deps,
    client,
    platformOf: (context) => ({ ...deps.platformOf(context), client }),
    connector: (spec) => wrapped(deps.connector(spec)),
    store: (context) =>
      openRunStore(wrapped(deps.connector(context.records)), context, { now: deps.now }),
  };
}

function killedClient(
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

function killedConnector(
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
