// Wrong settings of a store's client stop the run with their cause. The client itself has no codes for them.
import { createPrivateKey } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { diagnoseGcs } from '../../src/connectors/gcs-errors.ts';
import { openConnector } from '../../src/connectors/index.ts';

afterEach(() => void vi.unstubAllEnvs());

describe('settings that make a client fail before it sends a request', () => {
  it('a key file of Google whose private key cannot be decoded counts as wrong credentials', () => {
    let error: unknown;
    try {
      createPrivateKey('-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n');
    } catch (thrown) {
      error = thrown;
    }
    expect(diagnoseGcs(error)).toEqual({ errorKind: 'bad-credentials', code: 'key file' });
  });

  it.each([
    [{ AWS_ENDPOINT_URL_S3: 'store' }, 'CONNECTOR_MISCONFIGURED', 'AWS_ENDPOINT_URL_S3'],
    [{ AWS_ENDPOINT_URL_S3: 'me:hush@store' }, 'CONNECTOR_MISCONFIGURED', 'AWS_ENDPOINT_URL_S3'],
    [{ AWS_ACCESS_KEY_ID: 'hush\n' }, 'CREDENTIALS_REFUSED', 'invalid characters'],
  ])('S3 with the settings %j is reported as %s, without the value', async (given, code, text) => {
    const settings = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', ...given };
    for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
    const connector = openConnector({ type: 's3', bucket: 'buck', region: 'eu-central-1' });
    const error: unknown = await connector.read('a').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, message: expect.stringContaining(text) });
    expect(error).not.toMatchObject({ message: expect.stringContaining('hush') });
  });
});
