// A container of Azure Blob Storage. Account, key and endpoint are in one connection string from the environment.

import { z } from 'zod';
import { secretName } from '../settings/file-fields.ts';
import { diagnoseAzure } from './azure-errors.ts';
import { BucketConnector } from './bucket/bucket-connector.ts';
import { ConnectorError } from './connector-error.ts';
import { defineConnector } from './connector-type.ts';
import { assertSafeAddress, prefixField, readSecretField } from './spec-fields.ts';

/** The variable that Azure's own tools read. */
const usualVariable = 'AZURE_STORAGE_CONNECTION_STRING';

export const azure = defineConnector({
  type: 'azure',
  summary: 'A container of Azure Blob Storage.',
  docs: 'The connection string (account, key or signature, endpoint) is read from `AZURE_STORAGE_CONNECTION_STRING`, or from the environment variable that `connectionStringFrom` names, in the environment of the worker and of the command. The connection string must allow listing, reading, writing and deleting in the container.',
  example: 'pictures: { type: azure, container: media, prefix: shoes/spring }',
  config: z.strictObject({
    container: z
      .string()
      .regex(
        /^[a-z0-9$][a-z0-9-]{2,62}$/,
        'must be the name of a container: 3-63 lowercase letters, digits and dashes',
      )
      .describe('Name of the container, which must exist.')
      .meta({ reference: 'bucket' }),
    prefix: prefixField('container'),
    connectionStringFrom: secretName(
      'Environment variable that holds the connection string. Default: AZURE_STORAGE_CONNECTION_STRING.',
    ).optional(),
  }),
  open(spec, env) {
    const { container, prefix = '', connectionStringFrom: variable = usualVariable } = spec;
    return new BucketConnector({
      prefix,
      description: `Azure container ${[container, prefix].filter((part) => part !== '').join('/')}`,
      terms: { bucket: 'container', credentials: variable },
      open: async () => {
        const secret = readSecretField(spec, 'connectionStringFrom', env);
        const connection = secret ?? requireVariable(usualVariable, env[usualVariable]);
        const addresses = addressesOf(connection);
        for (const address of addresses) assertSafeAddress(spec, address, env);
        const isPlain = addresses.some((address) => /^http:/i.test(address));
        return (await import('./azure-bucket.ts')).openAzureBucket(container, connection, isPlain);
      },
      diagnose: diagnoseAzure,
    });
  },
});

function requireVariable(variable: string, value: string | undefined): string {
  if (value) return value;
  throw new ConnectorError(
    'CREDENTIALS_MISSING',
    'azure',
    `${variable} is not set`,
    `set ${variable} in the environment of the workers and of the command`,
  );
}

/** Returns the addresses that the client derives from a connection string, which may contain only a protocol. */
function addressesOf(connection: string): string[] {
  const { DefaultEndpointsProtocol = 'https', AccountName = '', ...fields } = fieldsOf(connection);
  const suffix = fields['EndpointSuffix'] ?? 'core.windows.net';
  const { BlobEndpoint = `${DefaultEndpointsProtocol}://${AccountName}.blob.${suffix}` } = fields;
  const proxyUri = fields['DevelopmentStorageProxyUri'];
  return proxyUri === undefined ? [BlobEndpoint] : [BlobEndpoint, proxyUri];
}

function fieldsOf(connection: string): Partial<Record<string, string>> {
  const parts = connection.split(';').map((part) => /^\s*([^=]+)=(.*)$/.exec(part)?.slice(1) ?? []);
  return Object.fromEntries(parts.map(([name = '', value = '']) => [name, value]));
}
