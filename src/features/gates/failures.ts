import { defineFailures } from '../../failures/define.ts';

export const gateFailures = defineFailures('asset', {
  GATE_TIMEOUT: {
    title: 'The gate did not open within the `timeout` of its node.',
    fix: 'Raise the `timeout`, or start the run closer to the opening time; then run `renderline rerun RUN --failed`.',
  },
});
