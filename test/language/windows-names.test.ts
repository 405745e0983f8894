// Names that Windows reserves for devices, with everything that may surround them: each becomes a name that can be
// written there, and different names stay different.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findPathProblem } from '../../src/connectors/safe-path.ts';
import {
  foldPath,
  type NamingField,
  namingFields,
  renderName,
} from '../../src/language/naming/naming.ts';

const numbered = ['com', 'lpt'].flatMap((device) =>
  Array.from('0123456789¹²³', (digit) => device + digit),
);
const devices = ['con', 'prn', 'aux', 'nul', 'conin$', 'conout$', ...numbered];
const before = ['', ' ', '.', ' .', '\0', '\u200e'];
const behind = ['', ' ', '.', ' .', '. ', '...', '.png', ' .png', '. .png', '.tar.gz', ':'].concat(
  ['::$DATA', ':x', '\t', '\r\n', '\u00a0.png', '\u3000', '\u0301.png', '\ufe0f', '\ufeff'],
  ['~', '/x', '?', '-2'],
);
const templates = ['{{ key }}', '{{ key }}.{{ ext }}', '{{ name }}', '{{ key }} .png'].concat(
  ['{{ key }}{{ variant }}', 'in/{{ key }}/out', '.{{ name }}', '{{ name }}:x'],
  ['{{ variant }} {{ name }}.{{ ext }}'],
);

function rendered(template: string, value: string): string {
  const all = namingFields.map((field) => [field, value] as const);
  const fields = Object.fromEntries(all) as Record<NamingField, string>;
  return renderName(template, { ...fields, ext: 'png', variant: '' });
}

const spelled = fc
  .tuple(
    fc.constantFrom(...before),
    fc.constantFrom(...devices).chain((device) => fc.mixedCase(fc.constant(device))),
    fc.array(fc.constantFrom(...behind), { maxLength: 3 }),
  )
  .map(([first, device, rest]) => first + device + rest.join(''));

test('every device name is renamed in every template', () => {
  for (const device of devices) {
    for (const [first, last] of before.flatMap((one) => behind.map((two) => [one, two] as const))) {
      for (const template of templates) {
        for (const value of [device, device.toUpperCase()].map((name) => first + name + last)) {
          expect(
            findPathProblem(rendered(template, value)),
            JSON.stringify([template, value]),
          ).toBeNull();
        }
      }
    }
  }
});

test('device names in mixed case and with several extensions are renamed and stay distinct', () => {
  fc.assert(
    fc.property(spelled, spelled, fc.constantFrom(...templates), (one, other, template) => {
      const paths = [one, other].map((value) => rendered(template, value));
      for (const path of paths) {
        expect(findPathProblem(path)).toBeNull();
        expect(path).not.toMatch(/[. ](?:\/|$)/);
      }
      // Other tests compare the folder of a key and the name itself.
      if (foldPath(one) === foldPath(other) || /\//.test(one + other)) return;
      expect(foldPath(paths[0] ?? '')).not.toBe(foldPath(paths[1] ?? ''));
    }),
    { numRuns: 2_000 },
  );
});
