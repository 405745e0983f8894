import { defineFailures } from '../../failures/define.ts';

export const productionFailures = defineFailures('asset', {
  PRODUCTION_FAILED: {
    title: 'The platform could not create the production file.',
    fix: "Fix the cause given in the platform's message, then run again.",
  },
  PRODUCTION_TIMEOUT: {
    title: 'The production file was not ready within `timeout`.',
    fix: 'Run again: an export that has finished by then is used and not paid for twice.',
  },
  PRODUCTION_EXPORT_NOT_FOUND: {
    title: 'The export of the production file is not in the workspace.',
    fix: 'Run again to start another export.',
  },
  PRODUCTION_FILE_NOT_FOUND: {
    title: 'The production file is not in the workspace.',
    fix: 'The file was deleted after its creation. Run again to create another file.',
  },
});
