// Formats the strings on a sheet, for PDF and preview.
import type { InkRecord } from '../state/library-records.ts';
import type { Notice, Sheet, SheetLogo, SheetVariant } from '../state/production-records.ts';

const notices: Readonly<Record<Notice, { readonly title: string; readonly text: string }>> = {
  stale: {
    title: 'Views out of date',
    text: 'Logos, their placement or materials changed after these views were captured.',
  },
  'not-captured': {
    title: 'Not captured',
    text: 'The capture of this variant failed. Do not measure from these pictures.',
  },
  'never-captured': {
    title: 'Preview only',
    text: 'This variant was never captured: no markers and no measured placements.',
  },
};

export const noPantone = 'No Pantone on file';

export function listNotices(variant: SheetVariant) {
  return variant.notices.map((notice) => notices[notice]);
}

/** Formats `PANTONE 186 C, Team red`. The code comes first, since a long name may be cut. */
export function formatInk({ name, pantoneCode }: InkRecord): string {
  if (pantoneCode === null) return name;
  return name === '' ? `PANTONE ${pantoneCode}` : `PANTONE ${pantoneCode}, ${name}`;
}

/** Formats the size of a logo's zone and of its image. */
export function formatLogoSize({ width, height, placement }: SheetLogo): string {
  const image = width > 0 ? `image ${width} × ${height} px` : 'no image';
  const zone = placement?.zoneMm;
  return zone ? `zone ${formatLengths(zone.width, zone.height)}, ${image}` : image;
}

/** Formats `40 × 30 mm (1.57 × 1.18 in)`. */
export function formatLengths(widthMm: number, heightMm: number): string {
  const inches = (mm: number) => (mm / 25.4).toFixed(2);
  return `${widthMm} × ${heightMm} mm (${inches(widthMm)} × ${inches(heightMm)} in)`;
}

/** Formats the distance of a logo's centre from the product's edges in its best view, or its side if in no view. */
export function formatPlacement({ placement }: SheetLogo): string | undefined {
  const view = placement?.marks[0]?.view;
  if (placement?.hiddenSide) return `in no view: seen from ${placement.hiddenSide}`;
  if (!placement?.fromMm || view === undefined) return undefined;
  const { left, top } = placement.fromMm;
  return `${view} view: zone centre ${left} mm from the left edge, ${top} mm from the top edge`;
}

/** Formats `4. label, from below`. A slot that no view shows has no marker. */
export function formatSlotView({ slotName, placement }: SheetLogo): string {
  const hiddenSide = placement?.hiddenSide;
  return hiddenSide === undefined ? slotName : `${slotName}, from ${hiddenSide}`;
}

/** Explains why a logo has no close-up: the variant has no views, or their capture did not include the logo. */
export function explainMissingCloseUp({ views }: SheetVariant): string {
  return views ? 'Not in the captured views' : 'Not captured';
}

/** Lists warnings about missing data of a sheet, with the variant's name. */
export function listSheetWarnings(sheet: Sheet): string[] {
  return sheet.variants.flatMap((variant) => {
    const bare = variant.zones.filter(({ pantone }) => !pantone).map(({ name }) => name);
    const lines = [
      ...listNotices(variant).map(({ title, text }) => `${title}. ${text}`),
      ...(bare.length > 0 ? [`Fabric zones without a Pantone: ${bare.join(', ')}.`] : []),
      ...variant.logos.flatMap(logoWarningsOf),
    ];
    return lines.map((line) => `${variant.name}: ${line}`);
  });
}

function logoWarningsOf({ name, method, inks, picture }: SheetLogo): string[] {
  return [
    ...(method === undefined ? [`Logo ${name} has no decoration method.`] : []),
    ...(inks.length === 0 ? [`Logo ${name} has no inks.`] : []),
    ...(picture === undefined ? [`Logo ${name} has no image.`] : []),
  ];
}
