import { defineFailures } from '../../failures/define.ts';

export const ruleFailures = defineFailures('asset', {
  MODEL_RULE_BROKEN: {
    title: 'The model breaks rules of a `check` node, so it was not uploaded.',
    fix: 'Correct and replace the file, or change the rule; the message lists the measured value and the fix for each rule. The next run checks the file again.',
  },
});
