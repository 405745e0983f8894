// The workspace of the key, its usage, and the API description.
import { z } from 'zod';
import { defineOperations } from '../contract/operation.ts';
import { givenId, markProse, markRequired } from '../contract/response-marks.ts';
import { openEnum, timestamp } from '../contract/schemas.ts';

export const Me = z.object({
  workspace: markRequired(z.object({ id: givenId, name: markProse(z.string()) })),
  apiKey: z.object({ name: markProse(z.string()).nullable(), expiresAt: timestamp.nullable() }),
});

const usedOfLimit = z.object({
  used: markRequired(z.int()),
  limit: markRequired(z.int().nullable().describe('null means unlimited on the plan')),
});

export const Usage = z.object({
  tier: markRequired(openEnum(['free', 'creator', 'production', 'enterprise'])),
  projects: markRequired(usedOfLimit),
  models: markRequired(usedOfLimit),
  renders: z.object({
    limitPerMonth: z.int().nullable(),
    limitPerYear: z.int().nullable(),
  }),
});

export const identityOperations = defineOperations('4.1', {
  getMe: {
    errors: [],
    route: 'GET /me',
    summary: 'Verify the API key; returns its workspace and name.',
    response: Me,
  },
  getUsage: {
    errors: [],
    route: 'GET /me/usage',
    summary: 'Get the plan tier, with used and allowed models, projects and renders.',
    response: Usage,
  },
  getOpenapi: {
    errors: [],
    route: 'GET /openapi.json',
    summary: 'Get the machine-readable description of the API.',
    response: z.looseObject({ openapi: z.string() }),
    auth: false,
  },
});
