// Identity (4.1).

import { describeApi } from '../description.ts';
import type { Handlers } from '../handler.ts';

export const identity = {
  getMe: (_request, { access }) => ({
    workspace: { id: 'workspace', name: 'Sandbox' },
    apiKey: { ...access.key },
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
