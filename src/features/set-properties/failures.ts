import { defineFailures } from '../../failures/define.ts';

export const setPropertiesFailures = defineFailures('asset', {
  NOTHING_TO_DESCRIBE: {
    title: 'The asset has no resource of the type in `assetType`.',
    fix: 'Check `when:` of the preceding nodes: one of them skipped the asset.',
  },
  PROPERTIES_CONFLICT: {
    title: 'Two assets of the run set different values for one property of the same resource.',
    fix: 'Set the same values for both assets, or set properties of a resource that the assets do not share.',
  },
});
