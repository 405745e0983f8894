// Identity: platform.md, section 4.1.
import { z } from 'zod';
import { operation } from '../contract/operation.ts';
import { givenId, needed, prose } from '../contract/response-marks.ts';
import { known, timestamp } from '../contract/schemas.ts';

export const Me = z.object({
  workspace: needed(z.object({ id: givenId, name: prose(z.string()) })),
  apiKey: z.object({ name: prose(z.string()).nullable(), expiresAt: timestamp.nullable() }),
});

const usedOfLimit = z.object({
  used: needed(z.int()),
  limit: needed(z.int().nullable().describe('null means unlimited on the plan')),
});

export const Usage = z.object({
  tier: needed(known(['free', 'creator', 'production', 'enterprise'])),
  projects: needed(usedOfLimit),
  models: needed(usedOfLimit),
  renders: z.object({
    limitPerMonth: z.int().nullable(),
    limitPerYear: z.int().nullable(),
  }),
});

const shared = { section: '4.1', errors: [], retrySafety: 'read', keyed: false } as const;

const getMe = operation({
  ...shared,
  id: 'getMe',
  route: 'GET /me',
  summary: 'Verify the key; its workspace and name.',
  status: 200,
  response: Me,
});

const getUsage = operation({
  ...shared,
  id: 'getUsage',
  route: 'GET /me/usage',
  summary: 'Plan tier with used and allowed models, projects and renders.',
  status: 200,
  response: Usage,
});

const getOpenapi = operation({
  ...shared,
  id: 'getOpenapi',
  route: 'GET /openapi.json',
  summary: 'Machine-readable description of the API.',
  status: 200,
  response: z.looseObject({ openapi: z.string() }),
  auth: false,
});

export const identityOperations = {
  getMe,
  getUsage,
  getOpenapi,
} as const;
