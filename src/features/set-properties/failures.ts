// Failures of assets whose properties cannot be written.
import { defineFailures } from '../../failures/define.ts';

export const setPropertiesFailures = defineFailures('asset', {
  NOTHING_TO_DESCRIBE: {
    title: 'The asset has nothing of the type in `assetType`.',
    fix: 'Check `when:` of the preceding nodes: one of them skipped the asset.',
  },
  PROPERTIES_CONFLICT: {
    title: 'Two assets of the run give the same thing different values.',
    fix: 'Give it the same values everywhere, or write properties of something that each asset has for itself.',
  },
});
