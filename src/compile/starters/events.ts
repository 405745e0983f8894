// Starter pipeline: pictures of every model for which the platform sends an event.
import { formatHead, limits } from './parts.ts';

export function formatEvents(file: string): string {
  return `${formatHead(file, 'Pictures on events: one picture of each model that becomes ready on the platform, whoever uploaded the model.')}#
# \`renderline apply ${file}\` makes events start runs; \`renderline webhooks --register URL\` receives the events,
# and a worker executes the runs. \`renderline dev\` does all three. If the receiver is down, no model is lost: the
# next sweep finds it. \`renderline run\` processes every model that is ready now.

name: events # prefix of the ids of its runs
description: Pictures of every model that becomes ready on the platform.

# Runs are started by events, so every parameter needs a default. Relative paths start at this file.
parameters:
  out: { type: path, default: event-pictures, description: Folder for the pictures; created if missing. }

# Where files are read from and written to.
connectors:
  pictures: { type: local, path: "\${{ params.out }}" }

${limits}
nodes:
  # Events are batched for 5 s into one run. Models that a Renderline pipeline uploads start nothing, unless \`own: true\`.
  - id: processed
    type: model_ready
    config: { on: model.processed, gather: 5s, sweep: 15m }

  # The look of the picture. \`renderline api listTemplates\` lists your templates.
  - id: look
    type: template_match
    parentIds: [processed]
    config: { default: Studio White }

  # Creates the project, starts the render, waits for the render, and retries a failed render.
  - id: shots
    type: render
    parentIds: [look]
    config:
      settings: { renderShots: false }

  # The model \`shoes/red\` becomes \`shoes/red.png\`.
  - id: deliver
    type: export
    parentIds: [shots]
    config:
      connector: pictures
      naming: "{{ key }}.{{ ext }}"
`;
}
