import { defineFailures } from '../../failures/define.ts';

export const templateFailures = defineFailures('asset', {
  NO_TEMPLATE: {
    title: 'No rule of `template_match` matches.',
    fix: 'Add a rule that matches the asset, or set `default`.',
  },
  TEMPLATE_AMBIGUOUS: {
    title: 'Two templates have this name.',
    fix: 'Use the id of the template; the message lists the ids.',
    stops: 'not-found',
  },
  TEMPLATE_NOT_FOUND: {
    title: 'No template has this name or id.',
    fix: 'Use a template that the message or `renderline api listTemplates` lists.',
    stops: 'not-found',
  },
});
