// Compares the size of a model in the real world with a rule. Pure.
import type { SceneMeasures } from '../../glb/model-inspection.ts';
import { type RuleFinding, unchecked } from './rule-finding.ts';
import { type ModelRules, type Unit, unitMetres } from './rules.ts';

type SizeRule = NonNullable<ModelRules['size']>;
type Size = NonNullable<SceneMeasures['size']>;

const sides = ['width', 'height', 'depth'] as const;
type Side = (typeof sides)[number];

/** Units in which a program may have written the numbers although glTF is in metres. */
const units: readonly (readonly [name: string, unit: Unit])[] = [
  ['millimetres', 'mm'],
  ['centimetres', 'cm'],
  ['inches', 'in'],
  ['feet', 'ft'],
];

/** Relative tolerance, because sums of positions have rounding errors. */
const tolerance = 1e-5;

export function compareSize(
  rule: SizeRule,
  { size, sizeProblem }: SceneMeasures,
  isAnimated: boolean,
): RuleFinding[] {
  if (size === null) return [unchecked(`size, because ${sizeProblem}`)];
  const broken = sides.filter((side) => !fits(rule, size, side));
  if (broken.length === 0) return [];
  const measured = broken.map((side) => formatSide(rule, size, side)).join(', ');
  const atRest = isAnimated ? ' at rest' : '';
  const message = `size: ${measured}${atRest}; ${unitHint(rule, size) ?? 'scale the model'}`;
  return [{ level: rule.level, message }];
}

function fits(rule: SizeRule, size: Size, side: Side, scale = 1, least?: number): boolean {
  const { min: given = 0, max = Infinity } = rule[side] ?? {};
  const min = least ?? given;
  const value = (size[side] * scale) / unitMetres[rule.unit];
  return value >= min * (1 - tolerance) && value <= max * (1 + tolerance);
}

/** Formats a side with the limit that it breaks: `height 2500 m, at most 3 m`. */
function formatSide({ unit, ...rule }: SizeRule, size: Size, side: Side): string {
  const { min, max } = rule[side] ?? {};
  const value = size[side] / unitMetres[unit];
  const isSmall = min !== undefined && value < min;
  const limit = isSmall ? `at least ${min} ${unit}` : `at most ${max} ${unit}`;
  return `${side} ${Number(value.toPrecision(4))} ${unit}, ${limit}`;
}

/** A wrong unit is suggested only if the model is too large by more than this factor. */
const wrongUnitFactor = 10;

function unitHint(rule: SizeRule, size: Size): string | null {
  if (sides.every((side) => fits(rule, size, side, 1 / wrongUnitFactor, 0))) return null;
  const found = units.find(([, unit]) =>
    sides.every((side) => fits(rule, size, side, unitMetres[unit])),
  );
  if (found === undefined) return null;
  return `the numbers fit as ${found[0]}, but glTF is in metres: scale by ${unitMetres[found[1]]} on export`;
}
