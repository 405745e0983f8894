// Which connector types exist; a new one is one file and one line here. Clients are loaded on first use.

import type { ConnectorSpec } from '../plan/types.ts';
import type { Environment } from '../settings/environment.ts';
import { openAzure } from './azure.ts';
import type { Connector } from './connector.ts';
import { ConnectorError } from './connector-error.ts';
import { openGcs } from './gcs.ts';
import { LocalConnector } from './local.ts';
import { openS3 } from './s3.ts';
import { openSftp } from './sftp.ts';

const openers: Readonly<Record<string, (spec: ConnectorSpec, env: Environment) => Connector>> = {
  local: (spec) => new LocalConnector(spec),
  s3: openS3,
  sftp: openSftp,
  azure: openAzure,
  gcs: openGcs,
};

/**
 * Opens a connector; nothing is read or written before its first use. `env` holds the credentials that specs
 * name; as for the vendors' own clients it is that of the process unless told otherwise.
 */
export function openConnector(spec: ConnectorSpec, env: Environment = process.env): Connector {
  const opener = Object.hasOwn(openers, spec.type) ? openers[spec.type] : undefined;
  if (opener) return opener(spec, env);
  throw new ConnectorError(
    'UNKNOWN_CONNECTOR',
    spec.type,
    `connector type ${JSON.stringify(spec.type)} is not known`,
    `this version has: ${Object.keys(openers).join(', ')}`,
  );
}

export type { Connector } from './connector.ts';
