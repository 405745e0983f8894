// Starter pipeline: every model in the colorways of a table, and the table itself.
import {
  formatHead,
  formatNightlySchedule,
  formatParameters,
  limits,
  rootNodeLines,
  type StarterFacts,
} from './parts.ts';

export const tableFile = 'colorways.csv';

/** `key` identifies a model. `slot` is the name of one of the model's materials. */
export interface Slot {
  key: string;
  slot: string;
}

/** Materials of the initial table, as they are added to the library. Each is also a colorway of the same name. */
export const firstMaterials = [
  { name: 'Oak', pantoneCode: '7509 C', hex: '#c9a26b' },
  { name: 'Navy', pantoneCode: '2767 C', hex: '#13294b' },
] as const;

export function formatColorways(file: string, facts: StarterFacts): string {
  return `${formatHead(file, 'Colorways: one picture of every model in a folder, in each colorway that a table lists.')}#
# The table is ${tableFile} next to this file: one row for each slot of a model in a colorway.
#
#   A new row           pays for that colorway alone; the model is not uploaded again.
#   Another material    creates that colorway again; the others do not change.
#   A removed row       keeps what was created; \`plan\` and \`renderline clean\` list it.

name: colorways # prefix of the ids of its runs
description: Pictures of models in the colorways of a table.

${formatNightlySchedule(file, facts)}
${formatParameters(facts, 'pictures', 'pictures')}
# Where files are read from and written to.
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
  tables: { type: local, path: . }
  pictures: { type: local, path: "\${{ params.out }}" }

${limits}
nodes:
${rootNodeLines}
  # Each model in each of its colorways becomes an asset, such as \`living/chair@Oak\`.
  # Materials are named as in your library: \`renderline api listMaterials\`.
  - id: colorways
    type: variant
    parentIds: [ready]
    config:
      colorways:
        table: { connector: tables, path: ${tableFile} }

  # The look of the picture. \`renderline api listTemplates\` lists your templates.
  - id: look
    type: template_match
    parentIds: [colorways]
    config: { default: Studio White }

  # Renders up to 50 assets per request, with one colorway of each model.
  - id: shots
    type: render
    parentIds: [look]
    config:
      settings: { renderShots: false }

  # The model \`living/chair\` in Oak becomes \`living/chair/Oak/chair.png\`.
  - id: deliver
    type: export
    parentIds: [shots]
    config:
      connector: pictures
      naming: "{{ key }}/{{ name }}.{{ ext }}"
`;
}

/** Formats rows that assign each material to a slot of each model. The byte order mark marks the text as UTF-8. */
export function formatColorwayTable(slots: readonly Slot[]): string {
  const rows = slots.flatMap(({ key, slot }) =>
    firstMaterials.map(({ name }) => [key, name, slot, name]),
  );
  const lines = [['model', 'colorway', 'slot', 'material'], ...rows];
  return `\uFEFF${lines.map((cells) => cells.map(formatCell).join(',')).join('\n')}\n`;
}

function formatCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
