// Pipelines whose models and pictures lie on an SFTP server.
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { testPipelineOn } from './_connector-pipeline.ts';
import { sftpCredentials, sftpServer, useSftp } from './_sftp.ts';
import { useProcesses } from './_stack.ts';
import { useDevServer } from './_temporal.ts';

describe.skipIf(sftpServer.problem !== null)('SFTP', () => {
  const temporal = useDevServer();
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
  testPipelineOn(
    {
      type: 'sftp',
      env: () => sftpCredentials,
      // The second line of a key is its first secret one.
      secrets: [
        sftpCredentials.RENDERLINE_SECRET_TEST_SFTP_KEY.split('\n')[1] ?? '',
        'c4n4ry-sftp',
      ],
      async makePlace() {
        const root = await sftp.makeFolder();
        return (folder) => specOf(join(root, folder));
      },
      missing: () => ({ spec: specOf('/nowhere/models'), code: 'FOLDER_NOT_FOUND' }),
      acceptCredentials: async (accepted) => sftp.letIn(accepted),
    },
    temporal,
  );
});
