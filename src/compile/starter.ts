// The pipeline that `renderline init` writes: small, commented, valid.

/** The file beside it that editors check it by. */
export const schemaFile = 'renderline.schema.json';

export const starterPipeline = `# yaml-language-server: $schema=${schemaFile}
# $schema: ${schemaFile}
#
# A pipeline says what should happen to each asset. Check it with
#
#   renderline validate pipeline.yaml
#   renderline plan pipeline.yaml --param folder=./models --param out=./pictures

name: my-catalog
description: One picture of every model in a folder.

# Values that are given when a run starts: --param folder=./models
# Types: string, path, integer, number, boolean, enum.
parameters:
  folder: { type: path, description: Folder with the models. }
  out: { type: path, description: Folder for the pictures. }
  quality: { type: integer, default: 0, min: 0, max: 2, description: "0 = 720p, 1 = 1080p, 2 = 4K" }

# Places where files come from or go to.
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
  pictures: { type: local, path: "\${{ params.out }}" }

# A run that would need more does not start, so that a wrong folder cannot use up your plan.
# limits: { renders: 500, storage: 20GB }

# The first assets alone, so that you see them; \`renderline approve\` lets the others follow.
# canary: { assets: 5 }

nodes:
  # The root: new and changed files become assets. The path without extension names an asset.
  - id: take
    type: connector_poll
    config:
      connector: models
      # exclude: ["drafts/**"]

  # Holds each asset until the platform has processed its model.
  - id: ready
    type: model_ready
    parentIds: [take]
    timeout: 30m

  # The first rule that fits picks the template; \`default\` takes the rest.
  - id: look
    type: template_match
    parentIds: [ready]
    config:
      rules:
        - { glob: "hero/**", template: Hero Dark }
        # - { when: "asset.bytes > 50000000", template: Catalog Front }
      default: Studio White

  # Makes the project, starts the render, waits for it, tries a failed one again.
  - id: shots
    type: render
    parentIds: [look]
    # when: "!asset.name.startsWith('draft')"   # false passes an asset over
    config:
      settings:
        imageFormat: PNG
        imageQuality: "\${{ params.quality }}"
        renderShots: false
        renderVariants: false

  # Delivers the pictures, checked.
  - id: deliver
    type: export
    parentIds: [shots]
    config:
      connector: pictures
      naming: "{{ key }}.{{ ext }}"
`;
