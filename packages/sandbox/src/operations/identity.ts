import type { Handlers } from '../context/handler.ts';
import { describeApi } from '../http/openapi.ts';
import { createGuid } from '../state/seeded-random.ts';

export const identity = {
  getMe: (_request, { store, access }) => ({
    workspace: { id: createGuid(store.workspace.seed, 'workspace'), name: 'Sandbox' },
    apiKey: { name: access.values.name, expiresAt: access.values.expiresAt },
  }),

  getUsage: (_request, { store, limits }) => {
    const { tier, models, projects, rendersPerMonth, rendersPerYear } = limits.values;
    return {
      tier,
      projects: { used: store.projects.size, limit: projects },
      models: { used: store.models.size, limit: models },
      renders: { limitPerMonth: rendersPerMonth, limitPerYear: rendersPerYear },
    };
  },

  getOpenapi: ({ origin }) => describeApi(origin),
} satisfies Partial<Handlers>;
