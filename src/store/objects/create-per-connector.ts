import type { Connector } from '../../connectors/connector.ts';

/** Returns a function that creates the object of a connector at its first call. */
export function createPerConnector<T>(create: () => T): (connector: Connector) => T {
  const holdersByConnector = new WeakMap<Connector, { value: T }>();
  return (connector) => {
    const holder = holdersByConnector.get(connector) ?? { value: create() };
    holdersByConnector.set(connector, holder);
    return holder.value;
  };
}
