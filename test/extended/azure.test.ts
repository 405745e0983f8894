// Pipelines whose models and pictures are in Azure Blob Storage.
import { afterAll, beforeAll, describe } from 'vitest';
import { useProcesses } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';
import { azureSecret, azurite, useAzure } from './_azure.ts';
import { testDeliveryOn } from './_connector-pipeline.ts';

describe.skipIf(azurite.problem !== null)('Azure', () => {
  const temporal = useTemporal();
  useProcesses();
  const azure = useAzure();
  beforeAll(() => void Object.assign(process.env, azure.env));
  afterAll(() => {
    delete process.env['AZURE_STORAGE_CONNECTION_STRING'];
  });

  let containers = 0;
  const specOf = (container: string, prefix: string) => ({ type: 'azure', container, prefix });
  testDeliveryOn(
    {
      type: 'azure',
      env: () => azure.env,
      secrets: [azureSecret],
      async createLocation() {
        const container = await azure.makeContainer(`pipeline-${(containers += 1)}`);
        return (folder) => specOf(container, folder);
      },
    },
    temporal,
  );
});
