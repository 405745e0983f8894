// Pipelines whose models and pictures lie in Google Cloud Storage.
import { describe } from 'vitest';
import { testPipelineOn } from './_connector-pipeline.ts';
import { fakeGcs, useGcs } from './_gcs.ts';
import { useProcesses } from './_stack.ts';
import { useDevServer } from './_temporal.ts';

describe.skipIf(fakeGcs.problem !== null)('GCS', () => {
  const temporal = useDevServer();
  useProcesses();
  const gcs = useGcs();
  let buckets = 0;
  const specOf = (bucket: string, prefix: string) => ({
    type: 'gcs',
    bucket,
    prefix,
    endpoint: gcs.origin,
  });
  testPipelineOn(
    {
      type: 'gcs',
      env: () => ({}),
      secrets: [],
      async makePlace() {
        const bucket = await gcs.makeBucket(`pipeline-${(buckets += 1)}`);
        return (folder) => specOf(bucket, folder);
      },
      missing: () => ({ spec: specOf('no-such-bucket', 'models'), code: 'BUCKET_NOT_FOUND' }),
      acceptCredentials: null,
    },
    temporal,
  );
});
