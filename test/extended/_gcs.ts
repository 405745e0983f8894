// Google Cloud Storage for tests: fake-gcs-server, built once with Go.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { findStore, type StoreServer, startStore } from '../system/_store-server.ts';

const version = 'v1.56.1';

export const fakeGcs = await findStore({
  name: `GCS server (fake-gcs-server ${version})`,
  folder: `fake-gcs-server-${version}`,
  executable: 'bin/fake-gcs-server',
  installer: 'go',
  fix: 'install Go and allow it to reach its module proxy once',
  async install(fresh, run) {
    const bin = join(fresh, 'bin');
    await mkdir(bin, { recursive: true });
    await run('go', ['install', `github.com/fsouza/fake-gcs-server@${version}`], { GOBIN: bin });
  },
});

export interface GcsInUse {
  readonly origin: string;
  makeBucket(name: string): Promise<string>;
}

/** A server for the tests of a file. */
export function useGcs(): GcsInUse {
  let server: StoreServer | undefined;
  beforeAll(async () => {
    if (fakeGcs.path === null) return;
    const args = (port: number) => [
      '-scheme',
      'http',
      '-backend',
      'memory',
      '-host',
      '127.0.0.1',
      '-port',
      String(port),
      '-public-host',
      `127.0.0.1:${port}`,
    ];
    server = await startStore(fakeGcs.path, args, '/storage/v1/b');
  });
  afterAll(() => server?.process.stop());
  const origin = () => {
    if (!server) throw new Error('the GCS server runs only inside tests and hooks');
    return server.origin;
  };
  return {
    get origin() {
      return origin();
    },
    async makeBucket(name) {
      const response = await fetch(`${origin()}/storage/v1/b?project=test`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name }),
      });
      if (!response.ok) throw new Error(`no bucket: ${response.status}`);
      return name;
    },
  };
}
