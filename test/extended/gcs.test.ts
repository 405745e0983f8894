// Pipelines whose models and pictures are in Google Cloud Storage.
import { describe } from 'vitest';
import { useProcesses } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';
import { testDeliveryOn } from './_connector-pipeline.ts';
import { fakeGcs, useGcs } from './_gcs.ts';

describe.skipIf(fakeGcs.problem !== null)('GCS', () => {
  const temporal = useTemporal();
  useProcesses();
  const gcs = useGcs();
  let buckets = 0;
  const specOf = (bucket: string, prefix: string) => ({
    type: 'gcs',
    bucket,
    prefix,
    endpoint: gcs.origin,
  });
  testDeliveryOn(
    {
      type: 'gcs',
      env: () => ({}),
      secrets: [],
      async createLocation() {
        const bucket = await gcs.makeBucket(`pipeline-${(buckets += 1)}`);
        return (folder) => specOf(bucket, folder);
      },
    },
    temporal,
  );
});
