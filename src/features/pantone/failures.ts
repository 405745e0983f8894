import { defineFailures } from '../../failures/define.ts';

export const pantoneCauses = defineFailures('run', {
  PANTONE_TABLE: {
    title: 'The table of Pantone materials does not exist or cannot be read.',
    fix: 'Correct the table as the message says, then start the run again.',
    stops: 'never',
  },
  PANTONE_AMBIGUOUS: {
    title: 'Several materials in the library have the name of a Pantone material.',
    fix: 'Rename or delete all but one of these materials on the platform, then resume the run.',
    stops: 'never',
  },
  PANTONE_REFUSED: {
    title: 'The platform refuses a Pantone material.',
    fix: "Correct the material in the file or the table; the message states the platform's reason. Then start the run again.",
    stops: 'never',
  },
});
