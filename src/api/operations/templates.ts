// The platform's public templates, and those of the workspace.
import { z } from 'zod';
import { defineOperations } from '../contract/operation.ts';
import {
  givenId,
  givenName,
  itemListOf,
  markProse,
  markRequired,
} from '../contract/response-marks.ts';
import { pathId } from '../contract/schemas.ts';

export const Template = z.object({
  templateId: givenId,
  name: givenName,
  description: markProse(z.string()),
});

export const templateOperations = defineOperations('4.5', {
  listTemplates: {
    route: 'GET /templates',
    summary: "List public templates and the workspace's own.",
    query: z.object({
      internal: z.boolean().optional().describe('false returns only public templates'),
      public: z.boolean().optional().describe("false returns only the workspace's templates"),
    }),
    response: z.object({ templates: markRequired(itemListOf(Template)) }),
    errors: ['VALIDATION_ERROR'],
  },
  getTemplate: {
    route: null,
    summary: "Get a template. The platform's reference shows neither the path nor the response.",
    params: z.object({ templateId: pathId }),
    response: z.looseObject({ templateId: z.string() }),
    errors: ['TEMPLATE_NOT_FOUND'],
    retrySafety: 'read',
  },
});
