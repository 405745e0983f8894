import type { Connector } from '../../connectors/connector.ts';

/** Returns a function that creates the object of a connector at its first call. */
export function perConnector<T>(create: () => T): (connector: Connector) => T {
  const known = new WeakMap<Connector, { value: T }>();
  return (connector) => {
    const found = known.get(connector) ?? { value: create() };
    known.set(connector, found);
    return found.value;
  };
}
