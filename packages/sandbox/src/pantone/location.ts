// Parses the location of a logo on a product: `front left chest`, `right sleeve`.

const sides = wordSet(`
  front back left right upper lower top bottom center centre middle inner outer inside outside
  full side wearer wearers`);
const areas = wordSet(`
  chest sleeve back front nape neck yoke collar hem pocket leg thigh hip cuff hood shoulder
  bicep wrist tail waistband brim visor crown panel strap tongue heel toe vamp quarter lid cap
  barrel clip handle base side label flap seat backrest body face left right center centre`);

/** Parses a location to lower case. Undefined unless every word belongs to a location and the last is a place. */
export function parseLocation(text: string): string | undefined {
  const plain = text
    .toLowerCase()
    .replace(/^(?:location|position|placement|place)\s*[:=]\s*/, '')
    .replace(/'s\b/g, 's')
    .replace(/[\s_-]+/g, ' ')
    .trim();
  const words = plain.split(' ');
  const last = words.at(-1) ?? '';
  const isLocation = words.every((word) => sides.has(word) || areas.has(word) || word === 'of');
  return isLocation && areas.has(last) ? plain : undefined;
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
