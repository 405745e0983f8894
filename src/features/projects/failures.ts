import { defineFailures } from '../../failures/define.ts';

export const projectFailures = defineFailures('asset', {
  PROJECT_NOT_CREATED: {
    title: 'The platform did not create the project.',
    fix: 'Start the run again. If the platform gave a reason, the message states it; correct the cause first.',
  },
  PROJECT_NOT_FOUND: {
    title: 'The project is not in the workspace.',
    fix: 'Run again to create another project. If `select` contains the id of the missing project, remove the id.',
  },
});
