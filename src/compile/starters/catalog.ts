// Starter pipeline: one picture of every model.
import {
  formatHead,
  formatNightlySchedule,
  formatParameters,
  limits,
  quoteYaml,
  rootNodeLines,
  type StarterFacts,
} from './parts.ts';

export function formatCatalog(file: string, facts: StarterFacts): string {
  return `${formatHead(file, 'Catalog pictures: every new or changed model of a folder becomes one picture.')}
name: catalog # prefix of the ids of its runs
description: One picture of every model in a folder.

${formatNightlySchedule(file, facts)}
${formatParameters(facts, 'pictures', 'pictures').trimEnd()}
  quality: { type: integer, default: 0, min: 0, max: 2, description: "0 = 720p, 1 = 1080p, 2 = 4K" }

# Where files are read from and written to.
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
  pictures: { type: local, path: "\${{ params.out }}" }

${limits}
nodes:
${rootNodeLines}
  # The look of the picture. The first matching rule chooses the template; \`default\` applies to all other models.
  # \`renderline api listTemplates\` lists your templates.
  - id: look
    type: template_match
    parentIds: [ready]
    config:
      rules:
${formatRules(facts)}
      default: Studio White

  # Creates the project, starts the render, waits for the render, and retries a failed render.
  - id: shots
    type: render
    parentIds: [look]
    # when: "!asset.name.startsWith('draft')"   # if false, the asset skips this node
    config:
      settings:
        imageFormat: PNG
        imageQuality: "\${{ params.quality }}"
        renderShots: false
        renderVariants: false

  # Delivers the pictures, checked: \`shoes/red.glb\` becomes \`shoes/red.png\`.
  - id: deliver
    type: export
    parentIds: [shots]
    config:
      connector: pictures
      naming: "{{ key }}.{{ ext }}"
`;
}

/** Formats an example rule for each of the first folders, and two that test the name and the size of the file. */
function formatRules({ folders }: StarterFacts): string {
  const shownFolders = folders.slice(0, 3);
  const lines = (shownFolders.length > 0 ? shownFolders : ['hero']).map(
    (name) => `        # - { glob: ${quoteYaml(`${globSafe(name)}/**`)}, template: Warm Floor }`,
  );
  return [
    ...lines,
    `        - { when: "asset.name.contains('hero')", template: Hero Dark }`,
    '        # - { when: "asset.bytes > 50000000", template: Catalog Front }',
  ].join('\n');
}

/** Replaces characters that are special in globs with `?`, which matches any character. */
function globSafe(name: string): string {
  return name.replace(/[*?[\]{}()!@+\\]/g, '?');
}
