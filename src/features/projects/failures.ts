import { defineFailures } from '../../failures/define.ts';

export const projectFailures = defineFailures('asset', {
  PROJECT_NOT_CREATED: {
    title: 'The platform did not create the project.',
    fix: 'Run again; the message contains the reason, if any.',
  },
  PROJECT_NOT_FOUND: {
    title: 'The project is not in the workspace.',
    fix: "Run again to create another. If `select` contains the project's id, remove it.",
  },
});
