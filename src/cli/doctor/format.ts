// Formats the checks of `doctor`.
import type { Check } from '../../app/doctor/health-check.ts';
import type { Paint } from '../color.ts';
import { escapeForTerminal } from '../terminal-text.ts';

const stateLabels = {
  ok: ['green', 'ok  '],
  warn: ['yellow', 'warn'],
  fail: ['red', 'FAIL'],
} as const;

export function formatChecks(checks: readonly Check[], paint: Paint): string {
  const width = Math.max(0, ...checks.map(({ name }) => name.length));
  return escapeForTerminal(checks)
    .flatMap(({ name, state, message, fix }) => {
      const [color, mark] = stateLabels[state];
      const indent = ' '.repeat(width + 8);
      return [
        `${paint(color, mark)}  ${name.padEnd(width)}  ${message}`,
        ...(fix === '' ? [] : [fix.replace(/^/gm, indent)]),
      ];
    })
    .join('\n');
}
