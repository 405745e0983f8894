// Failures of choosing a template.
import { defineFailures } from '../../failures/define.ts';

export const templateFailures = defineFailures('asset', {
  NO_TEMPLATE: {
    title: 'No rule of `template_match` fits.',
    fix: 'Add a rule, or a `default`.',
  },
  TEMPLATE_AMBIGUOUS: {
    title: 'Two templates have this name.',
    fix: 'Name the template by its id.',
    stops: 'not-found',
  },
  TEMPLATE_NOT_FOUND: {
    title: 'There is no template of this name or id.',
    fix: 'Choose one of those in the message, or of `renderline api listTemplates`.',
    stops: 'not-found',
  },
});
