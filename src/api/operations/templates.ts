// Templates: platform.md, section 4.5.
import { z } from 'zod';
import { operation } from '../contract/operation.ts';
import { givenId, givenName, items, needed, prose } from '../contract/response-marks.ts';
import { pathId } from '../contract/schemas.ts';

export const Template = z.object({
  templateId: givenId,
  name: givenName,
  description: prose(z.string()),
});

const listTemplates = operation({
  id: 'listTemplates',
  route: 'GET /templates',
  section: '4.5',
  summary: "Public templates and the workspace's own.",
  query: z.object({
    internal: z.boolean().optional().describe('false returns only public templates'),
    public: z.boolean().optional().describe("false returns only the workspace's templates"),
  }),
  status: 200,
  response: z.object({ templates: needed(items(Template)) }),
  errors: ['VALIDATION_ERROR'],
  retrySafety: 'read',
  keyed: false,
});

const getTemplate = operation({
  id: 'getTemplate',
  route: null,
  section: '4.5',
  summary: 'One template; path and response are not shown in the document.',
  params: z.object({ templateId: pathId }),
  status: 200,
  response: z.looseObject({ templateId: z.string() }),
  errors: ['TEMPLATE_NOT_FOUND'],
  retrySafety: 'read',
  keyed: false,
});

export const templateOperations = {
  listTemplates,
  getTemplate,
} as const;
