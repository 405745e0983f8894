// Failures of projects.
import { defineFailures } from '../../failures/define.ts';

export const projectFailures = defineFailures('asset', {
  PROJECT_NOT_CREATED: {
    title: 'The platform made no project.',
    fix: 'The message has its reason where it gave one; run again.',
  },
  PROJECT_NOT_FOUND: {
    title: 'The project is not in the workspace.',
    fix: 'Run again: another is made. Take it out of `select` where that names its id.',
  },
});
