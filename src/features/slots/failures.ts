import { defineFailures } from '../../failures/define.ts';

export const slotFailures = defineFailures('asset', {
  COLORWAY_NO_SLOT: {
    title: 'No slot of the model matches a swap rule.',
    fix: 'The message lists the names of the slots, if known; correct `matchText`.',
  },
  SLOT_AMBIGUOUS: {
    title: 'Several slots of the model have the exact name in a swap rule (reported by `plan`).',
    fix: 'Nothing, if all of them are meant. Otherwise rename them in the model.',
  },
});
