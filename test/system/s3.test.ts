// Pipelines whose models and pictures lie in S3.
import { afterAll, beforeAll, describe } from 'vitest';
import { testPipelineOn } from './_connector-pipeline.ts';
import { moto, s3Credentials, useS3 } from './_s3.ts';
import { useProcesses } from './_stack.ts';
import { useDevServer } from './_temporal.ts';

describe.skipIf(moto.problem !== null)('S3', () => {
  const temporal = useDevServer();
  useProcesses();
  const s3 = useS3();
  beforeAll(() => void Object.assign(process.env, s3Credentials));
  afterAll(() => {
    for (const name of Object.keys(s3Credentials)) delete process.env[name];
  });

  let buckets = 0;
  const specOf = (bucket: string, prefix: string) => ({
    type: 's3',
    bucket,
    prefix,
    endpoint: s3.origin,
    pathStyle: true,
  });
  testPipelineOn(
    {
      type: 's3',
      env: () => s3Credentials,
      secrets: [s3Credentials.AWS_SECRET_ACCESS_KEY],
      async makePlace() {
        const bucket = await s3.makeBucket(`pipeline-${(buckets += 1)}`);
        return (folder) => specOf(bucket, folder);
      },
      missing: () => ({ spec: specOf('no-such-bucket', 'models'), code: 'BUCKET_NOT_FOUND' }),
      acceptCredentials: (accepted) => s3.acceptAnyone(accepted),
    },
    temporal,
  );
});
