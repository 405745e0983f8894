import { defineFailures } from '../../failures/define.ts';

export const decorationFailures = defineFailures('asset', {
  LOGO_SLOT_NOT_FOUND: {
    title: 'No slot of the model has the name given in `logos`.',
    fix: 'Correct `slot`; the message lists the slots of the model. Exclude models without it with `when`.',
  },
  LOGO_SLOT_AMBIGUOUS: {
    title:
      'Several slots of the model have the name given in `logos`, and more than one holds a logo.',
    fix: "Use the slot's id, which is in the message.",
  },
  LOGO_NOT_FOUND: {
    title: 'The slot holds no logo on the variant.',
    fix: 'Add a logo to the slot on the platform, or exclude the asset with `when`.',
  },
  INKS_CONFLICT: {
    title: 'The same logo has different inks in several places.',
    fix: 'Use the same inks wherever the logo appears, or use another logo: inks belong to the logo.',
  },
  DECORATION_VALUE: {
    title: 'The platform would refuse a computed method, ink or spec line.',
    fix: 'Correct the value in its source; the message says what is accepted.',
  },
});

export const decorationCauses = defineFailures('run', {
  LOGO_FIELDS: {
    title: 'The field names of decal slots in the settings are wrong.',
    fix: "Set the field names in the workers' `renderline.yaml`: `fields: { slot: { id: NAME, name: NAME, logos: NAME } }`; restart the workers and resume the run.",
    stops: 'never',
  },
});
