// Pipelines whose models and pictures are in S3.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { plainImage } from '../../packages/sandbox/test/_library.ts';
import { openConnector } from '../../src/connectors/index.ts';
import { runInProcess } from '../system/_in-process.ts';
import { reportOf } from '../system/_runs.ts';
import { moto, s3Credentials, useS3 } from '../system/_s3.ts';
import { tempFolder, useProcesses } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';
import { testFailuresOn } from './_connector-pipeline.ts';

describe.skipIf(moto.problem !== null)('S3', () => {
  const temporal = useTemporal();
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
  testFailuresOn(
    {
      type: 's3',
      env: () => s3Credentials,
      secrets: [s3Credentials.AWS_SECRET_ACCESS_KEY],
      async createLocation() {
        const bucket = await s3.makeBucket(`pipeline-${(buckets += 1)}`);
        return (folder) => specOf(bucket, folder);
      },
      missing: () => ({ spec: specOf('no-such-bucket', 'models'), code: 'BUCKET_NOT_FOUND' }),
      acceptCredentials: (accepted) => s3.acceptAnyone(accepted),
    },
    temporal,
    (lane) => {
      test('a pipeline fills the texture library from a bucket only once', async () => {
        const spec = specOf(await s3.makeBucket(`pipeline-${(buckets += 1)}`), 'library');
        const connector = openConnector(spec);
        await connector.write('textures/oak_diffuse.png', await plainImage());
        await connector.write('textures/oak_normal.png', await plainImage('#8080ff'));
        await connector.write('decals/void.png', new Uint8Array());
        const file = join(await tempFolder('bucket-library'), 'library.yaml');
        await writeFile(
          file,
          `name: library
connectors: { files: ${JSON.stringify(spec)} }
records: files
nodes:
  - id: library
    type: library_import
    config:
      connector: files
      decals: { include: ["decals/**"] }
      materials: { include: ["textures/**"] }
`,
        );
        const runToEnd = async () =>
          reportOf(await runInProcess(['run', file, '--wait', '--json'], lane.env), 3);
        const first = await runToEnd();
        expect(first.assets).toMatchObject({ total: 2, complete: 1, failed: 1 });
        expect(first.failures).toMatchObject([{ key: 'decals/void', code: 'EMPTY_FILE' }]);
        expect((await runToEnd()).assets).toMatchObject({ complete: 0, failed: 1, skipped: 1 });
        expect(await lane.sandbox.api('GET', '/materials')).toMatchObject({
          materials: [{ name: 'oak', status: 'ready' }],
        });
      });
    },
  );
});
