// `npm run listing -- --names 1000000`: discovers a million models in a simulated bucket, first as new and then as
// delivered, each pass in its own process, and prints the cost. With `--s3`, uses HTTP and the real client.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cpuMs, peakMemoryMib, residentMib } from '../bench/process-times.ts';
import { BucketConnector } from '../src/connectors/bucket/bucket-connector.ts';
import type { Connector } from '../src/connectors/connector.ts';
import { openConnector } from '../src/connectors/index.ts';
import { openRunStore } from '../src/features/run-store.ts';
import { discoverPage } from '../src/store/discovery/discover-run.ts';
import { createFileLister } from '../src/store/discovery/list-files.ts';
import { NoObjectError, NumberedBucket } from './listing/numbered-bucket.ts';
import { type ServedBucket, serveBucket } from './listing/s3-server.ts';
import { wholeNumber } from './whole-number.ts';

const { values } = parseArgs({
  options: {
    names: { type: 'string', default: '1000000' },
    pass: { type: 'string' },
    s3: { type: 'boolean', default: false },
    endpoint: { type: 'string' },
  },
});
const names = wholeNumber('--names', values.names, 0, 'npm run listing -- --names 1000000 [--s3]');
const pipeline = 'shoes';
const recipe = 'aaaaaaaa00000000';
const deliveredRecords = { folder: `.renderline/${pipeline}/records`, recipe };

if (values.pass === undefined) {
  for (const pass of ['new', 'unchanged']) await runInChild(pass);
} else await runPass(values.pass);

/** Runs a pass in a child process, which has its own peak memory. An HTTP bucket stays in this process. */
async function runInChild(pass: string): Promise<void> {
  const served = values.s3 ? await servedBucket(pass) : null;
  const endpointArgs = served ? ['--endpoint', served.server.endpoint] : [];
  const args = [
    fileURLToPath(import.meta.url),
    '--names',
    String(names),
    '--pass',
    pass,
    ...endpointArgs,
  ];
  const child = spawn(process.execPath, args, { stdio: 'inherit', env: childEnv() });
  const [code] = await once(child, 'exit');
  if (code !== 0) process.exitCode = 1;
  await served?.close();
}

/** Returns the environment of a pass. The S3 client needs credentials to send requests. */
function childEnv(): NodeJS.ProcessEnv {
  return { ...process.env, AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' };
}

async function servedBucket(
  pass: string,
): Promise<{ server: ServedBucket; close(): Promise<void> }> {
  const { bucket, close } = await createNumberedBucket(pass);
  const server = await serveBucket(bucket);
  return {
    server,
    async close() {
      await server.close();
      await close();
    },
  };
}

async function createNumberedBucket(pass: string) {
  const folder = await mkdtemp(join(tmpdir(), 'renderline-listing-'));
  const delivered = pass === 'unchanged' ? deliveredRecords : null;
  const bucket = new NumberedBucket({ names, folder, delivered });
  return { bucket, close: () => rm(folder, { recursive: true, force: true }) };
}

async function runPass(pass: string): Promise<void> {
  const { bucket, close } = await createNumberedBucket(pass);
  const connect = (prefix: string) => connectorOf(bucket, prefix);
  const store = openRunStore(connect(''), { run: 'a', lineage: 'a', pipeline, recipe });
  const lister = createFileLister({
    connector: connect('models'),
    config: { include: ['**/*.glb'], exclude: [], stableForMs: 1_000 },
    node: 'take',
    now: Date.now,
  });
  const source = {
    lister,
    node: 'take',
    keyOf: null,
    stages: { source: '', composition: '', render: '', sheet: '', deliveries: {} },
    recipes: store.recipes,
    parameters: {},
    shardSize: 250,
  };
  const beforeMb = residentMib(process.pid);
  const startMs = performance.now();
  let firstMs = 0;
  let stretches = 0;
  for (let next: number | undefined = 0; next !== undefined; ) {
    const page = await discoverPage(store, source, next);
    stretches += 1;
    if (stretches === 1) firstMs = performance.now() - startMs;
    next = page.nextDiscoveryPage;
    if (next === undefined) {
      const seconds = (ms: number) => Math.round(ms / 100) / 10;
      const result = {
        pass,
        ...page,
        stretches,
        seconds: seconds(performance.now() - startMs),
        firstPageAfterSeconds: seconds(firstMs),
        cpuSeconds: seconds(cpuMs(process.pid)),
        rssBeforeMb: beforeMb,
        rssPeakMb: peakMemoryMib(process.pid),
        ...(values.endpoint === undefined ? { requests: bucket.requests } : {}),
      };
      console.log(JSON.stringify(result));
    }
  }
  await close();
}

function connectorOf(bucket: NumberedBucket, prefix: string): Connector {
  const { endpoint } = values;
  if (endpoint !== undefined) {
    const spec = {
      type: 's3',
      bucket: 'numbered',
      region: 'eu-central-1',
      pathStyle: true,
      ...(prefix === '' ? {} : { prefix }),
      endpoint,
    };
    return openConnector(spec, { AWS_ENDPOINT_URL_S3: endpoint });
  }
  return new BucketConnector({
    prefix,
    description: 'a bucket that is made up',
    terms: { bucket: 'bucket', credentials: 'none' },
    open: async () => bucket,
    diagnose: (error) =>
      error instanceof NoObjectError ? { errorKind: 'no-object', code: 'NoObject' } : null,
  });
}
