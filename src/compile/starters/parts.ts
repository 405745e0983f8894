// Parts shared by the starter pipelines.

export const schemaFile = 'renderline.schema.json';

/** What is known about the project for which a pipeline is written. */
export interface StarterFacts {
  /** Folder with the models, absolute or relative to the file. */
  models: string;
  /** Names of subfolders with models. */
  folders: readonly string[];
  timezone: string;
}

/** Formats the first lines of every starter. `purpose` states what the pipeline does. */
export function formatHead(file: string, purpose: string): string {
  return `# yaml-language-server: $schema=${schemaFile}
# $schema: ${schemaFile}
#
# ${purpose}
#
#   renderline validate ${file}     every error, with its line
#   renderline plan ${file}         what a run would do and cost; writes nothing
#   renderline run ${file} --wait
#
# Run it as often as you like: unchanged assets are skipped, failed assets are retried.
`;
}

/** Formats a nightly schedule, commented out. */
export function formatNightlySchedule(file: string, { timezone }: StarterFacts): string {
  return `# To run every night, uncomment these lines, then run \`renderline apply ${file}\`.
# schedule:
#   cron: "0 2 * * *" # minute, hour, day of month, month, day of week
#   timezone: ${timezone}
`;
}

/** Formats the parameters of every starter that reads a folder of models. */
export function formatParameters({ models }: StarterFacts, out: string, contents: string): string {
  return `# Values that can be set when a run starts: --param folder=/data/models
# Types: string, path, integer, number, boolean, enum. Relative paths start at this file.
parameters:
  folder: { type: path, default: ${quoteYaml(models)}, description: Folder with the models. }
  out: { type: path, default: ${out}, description: Folder for the ${contents}; created if missing. }
`;
}

export const limits = `# A run that would exceed the limits does not start, so a wrong folder cannot use up your plan.
# limits: { renders: 500, storage: 20GB }

# Stops after the first assets for review; \`renderline approve\` continues the run.
# canary: { assets: 5 }
`;

export const rootNodeLines = `  # The root: new and changed files become assets. The path without extension names an asset.
  - id: take
    type: connector_poll
    config:
      connector: models
      # exclude: ["drafts/**"]

  # Waits until the platform has processed the model.
  - id: ready
    type: model_ready
    parentIds: [take]
    timeout: 30m
`;

/** Quotes text so that YAML and JSON read it alike. */
export function quoteYaml(text: string): string {
  return JSON.stringify(text);
}
