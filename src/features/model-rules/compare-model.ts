// Compares the inspection of a model's file with rules. Pure.
import { isSameName } from '../../api/requests/name-comparison.ts';
import { nearestHint } from '../../api/requests/nearest-name.ts';
import type { ModelInspection } from '../../glb/model-inspection.ts';
import { sizeBytes } from '../../language/byte-size.ts';
import { formatCount, formatNumber } from '../../plan/helpers/format-count.ts';
import { formatFirst } from '../../plan/helpers/format-first.ts';
import { compareSize } from './compare-size.ts';
import { compareTextures } from './compare-textures.ts';
import type { KhronosReport } from './khronos-validator.ts';
import { quoteFirst, type RuleFinding, unchecked } from './rule-finding.ts';
import type { Level, ModelRules } from './rules.ts';

/** An inspected model. `khronos` is null if the validator did not run, and the reason as a text if it has no result. */
export interface InspectedModel {
  inspection: ModelInspection;
  khronos: KhronosReport | string | null;
}

const issuesShown = 3;

/** Returns the rules that the model breaks, and the rules that cannot be checked. */
export function compareModel(
  rules: ModelRules,
  { inspection, khronos }: InspectedModel,
): RuleFinding[] {
  return [
    ...compareBytes(rules, inspection),
    ...(inspection.container === 'other'
      ? uncheckedRules(rules)
      : [...compareContents(rules, inspection), ...compareMeasures(rules, inspection)]),
    ...compareKhronos(rules, khronos),
  ];
}

/** Reports the rules that cannot be checked, because only glTF files show their contents. */
function uncheckedRules({ bytes: _bytes, khronos, ...rules }: ModelRules): RuleFinding[] {
  const names = [...Object.keys(rules), ...(khronos === 'off' ? [] : ['khronos'])];
  if (names.length === 0) return [];
  const message = `${names.join(', ')}, because only .glb and .gltf files can be inspected; export the model as .glb`;
  return [unchecked(message)];
}

function compareBytes({ bytes }: ModelRules, inspection: ModelInspection): RuleFinding[] {
  if (bytes === undefined || inspection.bytes <= sizeBytes(bytes.max)) return [];
  const message = `bytes: the file has ${formatNumber(inspection.bytes)} bytes, at most ${bytes.max} are allowed; compress its textures and geometry`;
  return [{ level: bytes.level, message }];
}

function compareContents(
  { materials, slots, variants }: ModelRules,
  inspection: ModelInspection,
): RuleFinding[] {
  const found: RuleFinding[] = [];
  const count = inspection.materials.length;
  if (materials !== undefined && count > materials.max) {
    const message = `materials: the file has ${formatNumber(count)}, at most ${formatNumber(materials.max)} are allowed; merge materials that look the same`;
    found.push({ level: materials.level, message });
  }
  const slotNames = inspection.materials.filter((name) => name !== null);
  if (slots !== undefined)
    found.push(...missingNames('slots', 'slot', slots, slotNames, 'rename the material'));
  if (variants !== undefined)
    found.push(
      ...missingNames('variants', 'variant', variants, inspection.variants, 'add the variant'),
    );
  return found;
}

function missingNames(
  rule: string,
  noun: string,
  { required, level }: { required: readonly string[]; level: Level },
  there: readonly string[],
  fix: string,
): RuleFinding[] {
  const missing = required.filter((name) => !there.some((other) => isSameName(name, other)));
  const [first] = missing;
  if (first === undefined) return [];
  const hint = nearestHint(first, there) ?? `it has ${quoteFirst(there) || 'none with a name'}`;
  const message = `${rule}: the file has no ${noun} ${quoteFirst(missing)}, ${hint}; ${fix} in the model`;
  return [{ level, message }];
}

function compareMeasures(
  { triangles, textures, size }: ModelRules,
  { measures, images, animations }: ModelInspection,
): RuleFinding[] {
  // The inspection measures every glTF file that rules apply to.
  if (measures === undefined) return [];
  const found: RuleFinding[] = [];
  if (triangles !== undefined && measures.triangles > triangles.max) {
    const message = `triangles: ${formatNumber(measures.triangles)} are drawn, at most ${formatNumber(triangles.max)} are allowed; reduce the meshes`;
    found.push({ level: triangles.level, message });
  }
  if (textures !== undefined) found.push(...compareTextures(textures, measures.textures, images));
  if (size !== undefined) found.push(...compareSize(size, measures, animations > 0));
  return found;
}

function compareKhronos(
  { khronos: level }: ModelRules,
  report: InspectedModel['khronos'],
): RuleFinding[] {
  if (level === 'off' || report === null) return [];
  if (typeof report === 'string') return [unchecked(`khronos, because ${report}`)];
  const { errors, warnings, issues } = report;
  if (errors + warnings === 0) return [];
  const counts = `${formatCount(errors, 'error')} and ${formatCount(warnings, 'warning')}`;
  const message = `khronos: the validator finds ${counts}: ${formatFirst(issues, issuesShown)}; correct them in the 3D program and export again`;
  return [{ level: errors > 0 ? level : 'warn', message }];
}
