// Failures of production files.
import { defineFailures } from '../../failures/define.ts';

export const productionFailures = defineFailures('asset', {
  PRODUCTION_FAILED: {
    title: 'The platform made no production file.',
    fix: "The message is the platform's reason; mend it, then run again.",
  },
  PRODUCTION_TIMEOUT: {
    title: 'The production file was not ready within `timeout`.',
    fix: 'Run again: an export that has ended meanwhile is taken, not paid twice.',
  },
  PRODUCTION_EXPORT_NOT_FOUND: {
    title: 'The export of the production file is not in the workspace.',
    fix: 'Run again to ask for another.',
  },
  PRODUCTION_FILE_NOT_FOUND: {
    title: 'The production file is not in the workspace.',
    fix: 'It was deleted after it was made; run again to make another.',
  },
});
