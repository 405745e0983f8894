// Pipelines whose models and pictures are on an SFTP server.
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { sftpCredentials, sftpServer, useSftp } from '../system/_sftp.ts';
import { useProcesses } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';
import { testDeliveryOn } from './_connector-pipeline.ts';

describe.skipIf(sftpServer.problem !== null)('SFTP', () => {
  const temporal = useTemporal();
  useProcesses();
  const sftp = useSftp();
  beforeAll(() => void Object.assign(process.env, sftpCredentials));
  afterAll(() => {
    for (const name of Object.keys(sftpCredentials)) delete process.env[name];
  });

  const specOf = (path: string) => ({
    ...sftp.spec,
    path,
    privateKeyFrom: 'RENDERLINE_SECRET_TEST_SFTP_KEY',
  });
  testDeliveryOn(
    {
      type: 'sftp',
      env: () => sftpCredentials,
      // The second line of a key is its first secret one.
      secrets: [
        sftpCredentials.RENDERLINE_SECRET_TEST_SFTP_KEY.split('\n')[1] ?? '',
        'c4n4ry-sftp',
      ],
      async createLocation() {
        const root = await sftp.makeFolder();
        return (folder) => specOf(join(root, folder));
      },
    },
    temporal,
  );
});
