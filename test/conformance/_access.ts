// Section 5 (authentication), 4.1 (identity), 7 (envelope): who may ask, and how refusals look.
import { describe, expect, test } from 'vitest';
import { absentId, type Client, type Refusal } from './_client.ts';

const refusals: [title: string, route: string, options: object, expected: Refusal][] = [
  ['no key', 'GET /me', { key: null }, [401, 'MISSING_API_KEY']],
  ['malformed key', 'GET /me', { key: 'hello' }, [401, 'INVALID_API_KEY']],
  ['unknown key', 'GET /me', { key: 'svc_00000000_unknown' }, [401, 'INVALID_API_KEY']],
  ['no key on a write', 'POST /models', { key: null, body: {} }, [401, 'MISSING_API_KEY']],
  ['unknown path', 'GET /nothing-here', {}, [404, 'NOT_FOUND']],
  ['broken JSON', 'POST /models', { rawBody: '{"models":' }, [400, 'VALIDATION_ERROR']],
  ['JSON that is no object', 'POST /models', { rawBody: '[]' }, [400, 'VALIDATION_ERROR']],
  ['null', 'POST /models', { rawBody: 'null' }, [400, 'VALIDATION_ERROR']],
  ['no body', 'POST /models', {}, [400, 'VALIDATION_ERROR']],
];

const absent: [route: string, body: object | undefined, expected: Refusal][] = [
  [`GET /models/${absentId}`, undefined, [404, 'MODEL_NOT_FOUND']],
  [`PATCH /models/${absentId}`, { name: 'x' }, [404, 'MODEL_NOT_FOUND']],
  [`DELETE /models/${absentId}`, undefined, [404, 'MODEL_NOT_FOUND']],
  [`GET /models/${absentId}/download`, undefined, [404, 'MODEL_NOT_FOUND']],
  [`POST /models/${absentId}/confirm`, { fileType: 'glb' }, [404, 'MODEL_NOT_FOUND']],
  [`GET /projects/${absentId}`, undefined, [404, 'PROJECT_NOT_FOUND']],
  [`DELETE /projects/${absentId}`, undefined, [404, 'PROJECT_NOT_FOUND']],
  [`GET /renders/${absentId}`, undefined, [404, 'RENDER_JOB_NOT_FOUND']],
  [`POST /renders/${absentId}/cancel`, undefined, [404, 'RENDER_JOB_NOT_FOUND']],
  [`POST /renders/${absentId}/retry`, undefined, [404, 'RENDER_JOB_NOT_FOUND']],
  [`GET /jobs/${absentId}`, undefined, [404, 'JOB_NOT_FOUND']],
  [`POST /jobs/${absentId}/confirm-uploads`, undefined, [404, 'JOB_NOT_FOUND']],
  ['POST /projects', { modelIds: [absentId] }, [404, 'NOT_FOUND']],
];

export function accessSuite(client: Client): void {
  describe('5 and 7: keys and refusals', () => {
    test.each(refusals)('%s: %s', async (_title, route, options, expected) => {
      await client.refused(route, expected, options);
    });

    test.each(absent)('%s of nothing', async (route, body, expected) => {
      await client.refused(route, expected, { body });
    });

    test('a validation message names the item and the reason', async () => {
      const body = { models: [{ fileType: 'glb' }, { fileType: '.GLB' }] };
      const message = await client.refusal('POST /models', [400, 'VALIDATION_ERROR'], { body });
      expect(message).toMatch(/fileType/);
    });
  });

  describe('4.1: identity', () => {
    test('GET /me tells the workspace and the key', async () => {
      const me = await client.ok('getMe', 'GET /me');
      expect(me.workspace.id).not.toBe('');
    });

    test('GET /me/usage counts what exists', async () => {
      const usage = await client.ok('getUsage', 'GET /me/usage');
      expect(['free', 'creator', 'production', 'enterprise']).toContain(usage.tier);
    });

    test('GET /openapi.json needs no key and is version 1.0.0', async () => {
      const answer = await client.send<{ info: { version: string } }>('GET /openapi.json', {
        key: null,
      });
      expect([answer.status, answer.body.info.version]).toEqual([200, '1.0.0']);
    });
  });
}
