import { defineFailures } from '../../failures/define.ts';

export const projectFailures = defineFailures('asset', {
  PROJECT_NOT_CREATED: {
    title: 'The platform did not create the project.',
    fix: 'The message contains the reason, if any; run again.',
  },
  PROJECT_NOT_FOUND: {
    title: 'The project is not in the workspace.',
    fix: 'Run again to create another. If `select` names the project by its id, remove the id.',
  },
});
