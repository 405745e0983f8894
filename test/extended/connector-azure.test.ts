// The Azure connector on Azurite: the common suite for connectors, and cases of containers.
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openAzureBucket } from '../../src/connectors/azure-bucket.ts';
import { openConnector } from '../../src/connectors/index.ts';
import { collect } from '../connectors/_temp-folder.ts';
import { testConnector } from '../connectors/connector.testsuite.ts';
import { testLargeFiles, testPartUploads } from '../connectors/large-files.testsuite.ts';
import { azureSecret, azurite, useAzure } from './_azure.ts';

const azure = useAzure();
let made = 0;
const freshName = () => `container-${(made += 1)}`;
const text = (value: string) => new TextEncoder().encode(value);
const connectTo = (container: string, more: Record<string, string> = {}) =>
  openConnector({ type: 'azure', container, ...more }, azure.env);
const connect = async (more: Record<string, string> = {}) =>
  connectTo(await azure.makeContainer(freshName()), more);

describe.skipIf(azurite.problem !== null)('Azure', () => {
  testConnector('a container', {
    connect: () => connect(),
    connectNowhere: async () => connectTo('no-such-container'),
    isBucket: true,
  });

  testConnector('a folder of a container', {
    connect: () => connect({ prefix: 'shoes/spring' }),
    connectNowhere: async () => connectTo('no-such-container', { prefix: 'shoes' }),
    isBucket: true,
  });

  testLargeFiles({ connect: () => connect(), steps: 3, stoppedBytes: 20_000_000 });

  describe('a file that is too large for a single request', () => {
    const sizes = { maxPutBytes: 6_000_000, partBytes: 5 * 1024 ** 2 };
    testPartUploads(async () => {
      const container = await azure.makeContainer(freshName());
      return openAzureBucket(container, azure.env.AZURE_STORAGE_CONNECTION_STRING, true, sizes);
    });
  });

  it('the connector lists 5,100 files across several pages', async () => {
    const connector = await connect();
    const names = Array.from({ length: 5_100 }, (_, index) => `models/${index}.glb`);
    for (let start = 0; start < names.length; start += 100) {
      const part = names.slice(start, start + 100);
      await Promise.all(part.map((name) => connector.write(name, text('x'))));
    }
    expect(new Set(await collect(connector.names())).size).toBe(names.length);
  });

  describe('errors', () => {
    const looking = (env: Record<string, string>) =>
      collect(openConnector({ type: 'azure', container: 'any-container' }, env).list());

    it('a wrong key causes an error with a code', async () => {
      const { AZURE_STORAGE_CONNECTION_STRING: good } = azure.env;
      const bad = good.replace(azureSecret, Buffer.from('c4n4ry-wrong').toString('base64'));
      const error: unknown = await looking({ AZURE_STORAGE_CONNECTION_STRING: bad }).catch(
        (failure: unknown) => failure,
      );
      expect(error).toMatchObject({
        code: expect.stringMatching(/^(CREDENTIALS_REFUSED|ACCESS_DENIED)$/),
      });
      const shown = inspect(error, { depth: 9, showHidden: true });
      expect(shown).not.toContain(Buffer.from('c4n4ry-wrong').toString('base64'));
      expect(shown).not.toMatch(/SharedKey|AccountKey/);
    });

    it('an invalid connection string causes an error with a code', async () => {
      const error: unknown = await looking({ AZURE_STORAGE_CONNECTION_STRING: 'c4n4ry' }).catch(
        (failure: unknown) => failure,
      );
      expect(error).toMatchObject({ code: 'CREDENTIALS_REFUSED' });
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('c4n4ry');
    });

    it('a missing connection string causes an error with a code', async () => {
      await expect(looking({})).rejects.toMatchObject({
        code: 'CREDENTIALS_MISSING',
        message: expect.stringMatching(/AZURE_STORAGE_CONNECTION_STRING/),
      });
    });

    it('an endpoint where nothing is listening causes an error with a code', async () => {
      const there = azure.env.AZURE_STORAGE_CONNECTION_STRING;
      const nowhere = there.replace(/127\.0\.0\.1:\d+/, '127.0.0.1:9');
      await expect(looking({ AZURE_STORAGE_CONNECTION_STRING: nowhere })).rejects.toMatchObject({
        code: 'CONNECTOR_UNREACHABLE',
      });
    });
  });
});
