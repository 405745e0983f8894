// Starter pipeline: a production file of every model.
import {
  formatHead,
  formatNightlySchedule,
  formatParameters,
  limits,
  rootNodeLines,
  type StarterFacts,
} from './parts.ts';

export function formatFactorySheets(file: string, facts: StarterFacts): string {
  return `${formatHead(file, 'Factory sheets: a numbered production file (PDF) for every new or changed model in a folder.')}
name: factory-sheets # prefix of the ids of its runs
description: A production file for every model in a folder.

${formatNightlySchedule(file, facts)}
${formatParameters(facts, 'sheets', 'production files').trimEnd()}
  note:
    type: string
    default: Check the colours against the Pantone guide.
    description: Printed on every top sheet, at most 500 characters.

# Where files are read from and written to.
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
  sheets: { type: local, path: "\${{ params.out }}" }

${limits}
nodes:
${rootNodeLines}
  # Creates the project, captures the views of every variant, builds the file and downloads it, checked.
  # Costs one image render of your plan for each variant; a capture takes a couple of minutes.
  - id: sheets
    type: export
    parentIds: [ready]
    timeout: 1h
    config:
      connector: sheets
      what: [production_files]
      production:
        captureMode: flat # flat shows the true colours of the material, lit shows studio light
        factoryNote: "\${{ params.note }}"
      # \`shirts/polo.glb\` becomes \`shirts/polo.pdf\`; \`{{ output }}\` is its number and version.
      naming: "{{ key }}.{{ ext }}"
`;
}
