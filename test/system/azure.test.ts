// Pipelines whose models and pictures lie in Azure Blob Storage.
import { afterAll, beforeAll, describe } from 'vitest';
import { azureSecret, azurite, useAzure } from './_azure.ts';
import { testPipelineOn } from './_connector-pipeline.ts';
import { useProcesses } from './_stack.ts';
import { useDevServer } from './_temporal.ts';

describe.skipIf(azurite.problem !== null)('Azure', () => {
  const temporal = useDevServer();
  useProcesses();
  const azure = useAzure();
  beforeAll(() => void Object.assign(process.env, azure.env));
  afterAll(() => {
    delete process.env['AZURE_STORAGE_CONNECTION_STRING'];
  });

  let containers = 0;
  const specOf = (container: string, prefix: string) => ({ type: 'azure', container, prefix });
  testPipelineOn(
    {
      type: 'azure',
      env: () => azure.env,
      secrets: [azureSecret],
      async makePlace() {
        const container = await azure.makeContainer(`pipeline-${(containers += 1)}`);
        return (folder) => specOf(container, folder);
      },
      missing: () => ({ spec: specOf('no-such-container', 'models'), code: 'BUCKET_NOT_FOUND' }),
      acceptCredentials: (accepted) => azure.acceptKey(accepted),
    },
    temporal,
  );
});
