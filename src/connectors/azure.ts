// A container of Azure Blob Storage. Account, key and endpoint come in one connection string from the
// environment.

import type { ConnectorSpec } from '../plan/types.ts';
import type { Environment } from '../settings/environment.ts';
import { diagnoseAzure } from './azure-errors.ts';
import { BucketConnector } from './bucket/bucket-connector.ts';
import { ConnectorError } from './connector-error.ts';
import { needSafeAddress, optionalText, secretFrom, textOf } from './spec-fields.ts';

/** The variable that Azure's own tools read. */
const usualVariable = 'AZURE_STORAGE_CONNECTION_STRING';

export function openAzure(spec: ConnectorSpec, env: Environment): BucketConnector {
  const container = textOf(spec, 'container');
  const prefix = optionalText(spec, 'prefix') ?? '';
  const variable = optionalText(spec, 'connectionStringFrom') ?? usualVariable;
  return new BucketConnector({
    spec,
    prefix,
    description: `Azure container ${[container, prefix].filter((part) => part !== '').join('/')}`,
    words: { bucket: 'container', credentials: variable },
    open: async () => {
      const named = secretFrom(spec, 'connectionStringFrom', env);
      const connection = named ?? needed(usualVariable, env[usualVariable]);
      const addresses = addressesIn(connection);
      for (const address of addresses) needSafeAddress(spec, address, env);
      const isPlain = addresses.some((address) => /^http:/i.test(address));
      return (await import('./azure-bucket.ts')).openAzureBucket(container, connection, isPlain);
    },
    diagnose: diagnoseAzure,
  });
}

function needed(variable: string, value: string | undefined): string {
  if (value) return value;
  throw new ConnectorError(
    'CREDENTIALS_MISSING',
    'azure',
    `${variable} is not set`,
    `set ${variable} in the environment of the worker and of the command`,
  );
}

/** Addresses that the client would use for a connection string, which may name a protocol alone. */
function addressesIn(connection: string): string[] {
  const { DefaultEndpointsProtocol = 'https', AccountName = '', ...fields } = fieldsOf(connection);
  const suffix = fields['EndpointSuffix'] ?? 'core.windows.net';
  const named = [fields['BlobEndpoint'], fields['DevelopmentStorageProxyUri']];
  return [
    ...named.filter((address) => address !== undefined),
    ...(named[0] === undefined
      ? [`${DefaultEndpointsProtocol}://${AccountName}.blob.${suffix}`]
      : []),
  ];
}

function fieldsOf(connection: string): Partial<Record<string, string>> {
  const parts = connection.split(';').map((part) => /^\s*([^=]+)=(.*)$/.exec(part)?.slice(1) ?? []);
  return Object.fromEntries(parts.map(([name = '', value = '']) => [name, value]));
}
