import { defineFailures } from '../../failures/define.ts';

export const decorationFailures = defineFailures('asset', {
  LOGO_SLOT_NOT_FOUND: {
    title: 'No slot of the model has the name given in `logos`.',
    fix: 'Correct `slot`; the message lists the slots of the model. Use `when` to exclude models without this slot.',
  },
  LOGO_SLOT_AMBIGUOUS: {
    title:
      'Several slots of the model have the name given in `logos`, and more than one holds a logo.',
    fix: 'Use the id of the slot; the message lists the ids.',
  },
  LOGO_NOT_FOUND: {
    title: 'The slot holds no logo on the variant.',
    fix: 'Add a logo to the slot on the platform, or use `when` to exclude the asset.',
  },
  INKS_CONFLICT: {
    title: 'Two entries or assets set different inks for the same logo.',
    fix: 'Use the same inks wherever the logo appears, or use another logo: inks belong to the logo.',
  },
  DECORATION_VALUE: {
    title: 'A computed method, ink or spec line is not valid.',
    fix: 'Correct the value at its source; the message states which values are accepted.',
  },
});

export const decorationCauses = defineFailures('run', {
  LOGO_FIELDS: {
    title: 'The field names of decal slots in the settings are wrong.',
    fix: "Set the field names in the workers' `renderline.yaml`: `fields: { slot: { id: NAME, name: NAME, logos: NAME } }`; restart the workers and resume the run.",
    stops: 'never',
  },
});
