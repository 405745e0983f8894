// An S3 server for tests: moto, which implements conditional writes, pages and errors.
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll } from 'vitest';
import { findStore, type StoreServer, startStore } from './_store-server.ts';

const version = '5.2.5';

export const moto = await findStore({
  name: `S3 server (moto ${version})`,
  folder: `moto-${version}`,
  executable: 'bin/python3',
  installer: 'python3',
  fix: 'install Python 3.9 or newer with venv, and allow pip to reach its index once',
  async install(fresh, run) {
    await run('python3', ['-m', 'venv', fresh]);
    const packages = [`moto[s3]==${version}`, 'flask', 'flask-cors'];
    await run(join(fresh, 'bin/python3'), ['-m', 'pip', 'install', '-q', ...packages]);
  },
});

/** Moto checks for an object and creates it in two steps, so simultaneous creates must be serialized. */
const program = `
import sys, threading
import moto.server as server
lock, run = threading.Lock(), server.run_simple
def run_locked(host, port, app, **more):
    def locked(environ, start):
        if 'HTTP_IF_NONE_MATCH' not in environ: return app(environ, start)
        with lock: return app(environ, start)
    run(host, port, locked, **more)
server.run_simple = run_locked
server.main(sys.argv[1:])
`;

/** Moto accepts any credentials unless it is told otherwise. */
export const s3Credentials = {
  AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'c4n4ry/S3/secret',
  AWS_REGION: 'eu-central-1',
  AWS_EC2_METADATA_DISABLED: 'true',
  RENDERLINE_ALLOW_HOSTS: '127.0.0.1,storage.invalid',
};

export interface S3InUse {
  readonly origin: string;
  readonly client: S3Client;
  makeBucket(name: string): Promise<string>;
  /** If false, the server accepts only the credentials of a known user from now on. */
  acceptAnyone(anyone: boolean): Promise<void>;
}

/** A server for the tests of a file. */
export function useS3(): S3InUse {
  let server: StoreServer | undefined;
  let client: S3Client | undefined;
  beforeAll(async () => {
    if (moto.path === null) return;
    const args = (port: number) => ['-c', program, '-H', '127.0.0.1', '-p', String(port)];
    server = await startStore(moto.path, args, '/moto-api/');
    client = new S3Client({
      endpoint: server.origin,
      forcePathStyle: true,
      region: s3Credentials.AWS_REGION,
      credentials: {
        accessKeyId: s3Credentials.AWS_ACCESS_KEY_ID,
        secretAccessKey: s3Credentials.AWS_SECRET_ACCESS_KEY,
      },
    });
  });
  afterAll(async () => {
    client?.destroy();
    await server?.process.stop();
  });
  const running = () => {
    if (!server || !client) throw new Error('the S3 server runs only inside tests and hooks');
    return { server, client };
  };
  return {
    get origin() {
      return running().server.origin;
    },
    get client() {
      return running().client;
    },
    async makeBucket(name) {
      const CreateBucketConfiguration = { LocationConstraint: 'eu-central-1' } as const;
      await running().client.send(
        new CreateBucketCommand({ Bucket: name, CreateBucketConfiguration }),
      );
      return name;
    },
    async acceptAnyone(anyone) {
      const { origin } = running().server;
      await fetch(`${origin}/moto-api/reset-auth`, {
        method: 'POST',
        body: anyone ? 'inf' : '0',
      });
    },
  };
}
