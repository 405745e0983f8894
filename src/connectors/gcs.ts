// A bucket of Google Cloud Storage. Credentials come by Google's own chain (application default credentials)
// or from a key file that a variable of the environment names.

import type { ConnectorSpec } from '../plan/types.ts';
import type { Environment } from '../settings/environment.ts';
import { BucketConnector } from './bucket/bucket-connector.ts';
import { diagnoseGcs } from './gcs-errors.ts';
import { endpointOf, optionalText, secretFrom, textOf } from './spec-fields.ts';

export function openGcs(spec: ConnectorSpec, env: Environment): BucketConnector {
  const bucket = textOf(spec, 'bucket');
  const prefix = optionalText(spec, 'prefix') ?? '';
  const endpoint = endpointOf(spec, env);
  const variable = optionalText(spec, 'keyFileFrom') ?? 'GOOGLE_APPLICATION_CREDENTIALS';
  const at = endpoint === undefined ? '' : ` at ${new URL(endpoint).host}`;
  return new BucketConnector({
    spec,
    prefix,
    description: `GCS bucket ${[bucket, prefix].filter((part) => part !== '').join('/')}${at}`,
    words: { bucket: 'bucket', credentials: `${variable}, the path of a key file` },
    open: async () => {
      const keyFile = secretFrom(spec, 'keyFileFrom', env);
      return (await import('./gcs-bucket.ts')).openGcsBucket({ bucket, endpoint, keyFile });
    },
    diagnose: diagnoseGcs,
  });
}
