import { expect } from 'vitest';
import { z } from 'zod';
import { createModel, createProject, readyModel } from '../_core-resources.ts';
import { ok, type Row, type Table } from '../_rows.ts';
import { Me, Usage } from '../_shapes.ts';

export const identity: Table = {
  section: '4.1 Identity, 2.12 usage',
  rows: [
    { rule: 'the workspace and the key are returned', send: 'GET /me', is: ok(Me) },
    {
      rule: 'name and expiresAt of a key are strings or null, never absent',
      send: 'GET /me',
      is: ok(
        z.looseObject({
          apiKey: z.object({ name: z.string().nullable(), expiresAt: z.string().nullable() }),
        }),
      ),
    },
    { rule: 'the usage of the plan is returned', send: 'GET /me/usage', is: ok(Usage) },
    {
      rule: 'used counts the current models and projects',
      on: {},
      check: async (p) => {
        const modelId = await readyModel(p, 'counted.glb');
        const { modelId: empty } = await createModel(p, 'counted too.glb');
        const projectId = await createProject(p, [modelId]);
        const usage = await p.ok('GET /me/usage', Usage);
        expect([usage.models.used, usage.projects.used]).toEqual([2, 1]);
        await p.send(`DELETE /models/${empty}`);
        await p.send(`DELETE /projects/${projectId}`);
        const later = await p.ok('GET /me/usage', Usage);
        expect([later.models.used, later.projects.used]).toEqual([1, 0]);
      },
    },
    {
      rule: 'a null limit means unlimited, and other limits are those of the plan',
      on: {},
      check: async (p) => {
        await p.controls.limits({
          models: 3,
          projects: null,
          rendersPerMonth: 100,
          rendersPerYear: null,
        });
        await p.meets(
          'GET /me/usage',
          {},
          ok(Usage, {
            models: { used: 0, limit: 3 },
            projects: { used: 0, limit: null },
            renders: { limitPerMonth: 100, limitPerYear: null },
          }),
        );
      },
    },
    ...['free', 'creator', 'production', 'enterprise'].map(
      (tier): Row => ({
        rule: `the tier ${tier} is returned`,
        on: {},
        check: async (p) => {
          await p.controls.limits({ tier });
          await p.meets('GET /me/usage', {}, ok(Usage, { tier }));
        },
      }),
    ),
    {
      rule: 'openapi.json is served without an API key',
      send: 'GET /openapi.json',
      key: null,
      is: ok(z.looseObject({ openapi: z.string(), paths: z.looseObject({}) })),
    },
    {
      rule: 'openapi.json is served with an invalid API key',
      send: 'GET /openapi.json',
      key: 'hello',
      is: ok(),
    },
  ],
};
