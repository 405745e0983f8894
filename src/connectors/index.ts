// Which connector types exist; a new one is one file and one line here. Clients are loaded on first use.
import type { ConnectorSpec } from '../plan/types.ts';
import type { Connector } from './connector.ts';
import { ConnectorError } from './connector-error.ts';
import { LocalConnector } from './local.ts';
import { openS3 } from './s3.ts';

const openers: Readonly<Record<string, (spec: ConnectorSpec) => Connector>> = {
  local: (spec) => new LocalConnector(spec),
  s3: openS3,
};

/** Opens a connector; nothing is read or written before its first use. */
export function openConnector(spec: ConnectorSpec): Connector {
  const opener = Object.hasOwn(openers, spec.type) ? openers[spec.type] : undefined;
  if (opener) return opener(spec);
  throw new ConnectorError(
    'UNKNOWN_CONNECTOR',
    spec.type,
    `connector type ${JSON.stringify(spec.type)} is not known`,
    `this version has: ${Object.keys(openers).join(', ')}`,
  );
}

export type { Connector } from './connector.ts';
