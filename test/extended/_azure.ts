// Azure Blob Storage for tests: Azurite, Microsoft's emulator.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlobServiceClient } from '@azure/storage-blob';
import { afterAll, beforeAll } from 'vitest';
import { findStore, type StoreServer, startStore } from '../system/_store-server.ts';

/** The last version that runs on Node 20. */
const version = '3.35.0';

export const azurite = await findStore({
  name: `Azure server (Azurite ${version})`,
  folder: `azurite-${version}`,
  executable: 'node_modules/.bin/azurite-blob',
  installer: 'npm',
  fix: 'allow npm to reach its registry once',
  async install(fresh, run) {
    const options = ['--prefix', fresh, '--no-audit', '--no-fund', '--ignore-scripts'];
    await run('npm', ['install', ...options, `azurite@${version}`]);
  },
});

const account = 'render';
/** Not a real secret: the server is configured with it. */
const accountKey = Buffer.from('c4n4ry-azure-account-key').toString('base64');

export interface AzureInUse {
  /** The account's connection string. */
  readonly env: { AZURE_STORAGE_CONNECTION_STRING: string };
  makeContainer(name: string): Promise<string>;
  /** If false, the server accepts only another key from now on. */
  acceptKey(accepted: boolean): Promise<void>;
}

export const azureSecret = accountKey;

/** A server for the tests of a file. */
export function useAzure(): AzureInUse {
  let server: StoreServer | undefined;
  let folder = '';
  const startWith = async (key: string) => {
    if (azurite.path === null) return;
    const fixed = ['--skipApiVersionCheck', '--disableTelemetry', '--silent'];
    const args = (port: number) => {
      const serverArgs = [
        '--location',
        folder,
        '--blobHost',
        '127.0.0.1',
        '--blobPort',
        String(port),
      ];
      return [...fixed, ...serverArgs];
    };
    const env = { AZURITE_ACCOUNTS: `${account}:${key}` };
    server = await startStore(azurite.path, args, '/', {
      env,
      ...(server ? { port: server.port } : {}),
    });
  };
  const connectionString = () =>
    [
      'DefaultEndpointsProtocol=http',
      `AccountName=${account}`,
      `AccountKey=${accountKey}`,
      `BlobEndpoint=http://127.0.0.1:${server?.port ?? 0}/${account}`,
    ].join(';');
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'renderline-azurite-'));
    await startWith(accountKey);
  });
  afterAll(async () => {
    await server?.process.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    get env() {
      return { AZURE_STORAGE_CONNECTION_STRING: connectionString() };
    },
    async makeContainer(name) {
      const service = BlobServiceClient.fromConnectionString(connectionString());
      await service.createContainer(name);
      return name;
    },
    async acceptKey(accepted) {
      const other = Buffer.from('another key').toString('base64');
      await server?.process.stop();
      await startWith(accepted ? accountKey : other);
    },
  };
}
