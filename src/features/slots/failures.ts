import { defineFailures } from '../../failures/define.ts';

export const slotFailures = defineFailures('asset', {
  COLORWAY_NO_SLOT: {
    title: 'No slot of the model matches a swap rule.',
    fix: 'Correct `matchText`; the message lists the names of the slots, if known.',
  },
  SLOT_AMBIGUOUS: {
    title:
      'Several slots of the model have exactly the name given in a swap rule (reported by `plan`).',
    fix: 'If the rule is not meant for all of these slots, give them different names in the model.',
  },
});
