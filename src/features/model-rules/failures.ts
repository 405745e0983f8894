import { defineFailures } from '../../failures/define.ts';

export const ruleFailures = defineFailures('asset', {
  MODEL_RULE_BROKEN: {
    title: 'The model breaks rules of a `check` node, so it was not uploaded.',
    fix: 'The message gives the measured value and fix for each rule. Correct and replace the file, or change the rule; the next run checks it again.',
  },
});
