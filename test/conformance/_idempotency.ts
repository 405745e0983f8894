// Section 8: the Idempotency-Key of POST endpoints.
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Client, Refusal } from './_client.ts';

const bad: Refusal = [400, 'VALIDATION_ERROR'];
const reused: Refusal = [422, 'IDEMPOTENCY_KEY_REUSED'];

export function idempotencySuite(client: Client): void {
  describe('8: Idempotency-Key', () => {
    const body = { models: [{ fileType: 'glb', fileName: 'once.glb' }] };

    async function create(key: string) {
      const answer = await client.send<{ models: { modelId: string }[] }>('POST /models', {
        body,
        headers: { 'idempotency-key': key },
      });
      for (const { modelId } of answer.body.models) client.made(`/models/${modelId}`);
      return answer;
    }

    test('the same request again: the same bytes, nothing new', async () => {
      const key = randomUUID();
      const first = await create(key);
      const again = await create(key);
      expect([again.status, again.text]).toEqual([first.status, first.text]);
    });

    test('another key makes another model', async () => {
      const [first, second] = [await create(randomUUID()), await create(randomUUID())];
      expect(first.body.models[0]?.modelId).not.toBe(second.body.models[0]?.modelId);
    });

    test('another body or endpoint under the key: IDEMPOTENCY_KEY_REUSED', async () => {
      const key = randomUUID();
      await create(key);
      const headers = { 'idempotency-key': key };
      const other = { models: [{ fileType: 'glb', fileName: 'other.glb' }] };
      await client.refused('POST /models', reused, { body: other, headers });
      await client.refused('POST /models/status', reused, { body: { modelIds: ['a'] }, headers });
    });

    test('255 characters are a key, 256 are not', async () => {
      const longest = `${randomUUID()}-`.padEnd(255, 'k');
      expect((await create(longest)).status).toBe(201);
      const headers = { 'idempotency-key': `${longest}k` };
      await client.refused('POST /models', bad, { body, headers });
    });

    test('a key on a GET changes nothing', async () => {
      const headers = { 'idempotency-key': randomUUID() };
      const first = await client.send('GET /me', { headers });
      const second = await client.send('GET /me/usage', { headers });
      expect([first.status, second.status]).toEqual([200, 200]);
    });
  });
}
