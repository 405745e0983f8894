import type { Handlers } from '../context/handler.ts';
import { fail } from '../http/failure.ts';
import type { TemplateRecord } from '../state/records.ts';
import { findTemplate, listAllTemplates } from '../templates/templates.ts';

function toTemplateItem({ id, name, description }: TemplateRecord) {
  return { templateId: id, name, description };
}

export const templates = {
  listTemplates: ({ query }, { store }) => ({
    templates: listAllTemplates(store)
      .filter((template) => (template.public ? query.public !== false : query.internal !== false))
      .map(toTemplateItem),
  }),

  getTemplate: ({ params }, { store }) => {
    const templateId = params['templateId'] ?? '';
    const template = findTemplate(store, templateId);
    if (!template) return fail('TEMPLATE_NOT_FOUND', `The template ${templateId} does not exist.`);
    return { ...toTemplateItem(template), bookmarks: template.bookmarks, shots: template.shots };
  },
} satisfies Partial<Handlers>;
