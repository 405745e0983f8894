// Examples at the end of each `--help`: command lines with descriptions, by command name.
// A test parses every line with the options that the command declares.

type Example = readonly [line: string, does: string];

export const examples: Readonly<Record<string, readonly Example[]>> = {
  init: [
    ['renderline init', 'in this folder; asks for the purpose of the pipeline'],
    ['renderline init shoes --for colorways --yes', 'in the folder shoes, without questions'],
    ['renderline init --samples', 'with ten sample models'],
  ],
  validate: [
    ['renderline validate catalog.yaml', 'one file'],
    ['renderline validate pipelines', 'every pipeline in a folder and its subfolders'],
    ['renderline validate - < catalog.yaml', 'standard input'],
    ['renderline validate catalog.yaml --resolved', 'the file with its shared parts'],
  ],
  test: [
    ['renderline test', 'every test file in this folder and its subfolders'],
    ['renderline test catalog.test.yaml --only "takes too long"', 'one test'],
    ['renderline test --junit results.xml', 'also write JUnit XML for a CI server'],
  ],
  schema: [['renderline schema > renderline.schema.json', 'save the schema again after an update']],
  graph: [
    ['renderline graph catalog.yaml', 'on the terminal'],
    ['renderline graph catalog.yaml --format mermaid', 'Mermaid, for a web page'],
  ],
  plan: [
    ['renderline plan catalog.yaml --param folder=models --param out=pictures', 'a whole run'],
    ['renderline plan catalog.yaml --only "shoes/**" --force', 'some assets, even if unchanged'],
  ],
  run: [
    [
      'renderline run catalog.yaml --param folder=models --param out=pictures --wait',
      'follow the run to its end',
    ],
    ['renderline run catalog.yaml --only "shoes/**" --only boots/a.glb', 'only these assets'],
    ['renderline run catalog.yaml --where "size < 1000000" --force', 'all small files'],
    ['renderline run catalog.yaml --limit renders=100 --dry-run', 'only show the cost'],
  ],
  runs: [
    ['renderline runs --pipeline catalog --limit 5', 'the five newest runs of a pipeline'],
    ['renderline runs --json', 'JSON, for a program'],
  ],
  show: [
    ['renderline show RUN', 'the current state'],
    ['renderline show RUN --wait', 'follow the run to its end'],
  ],
  report: [
    ['renderline report RUN', 'RUN.html, a page with the pictures'],
    ['renderline report RUN --format csv --output -', 'CSV, for a spreadsheet'],
    ['renderline report --since yesterday', 'all runs since yesterday'],
  ],
  failures: [
    ['renderline failures RUN', 'each cause, with the command to rerun the assets'],
    ['renderline failures --since 7d --pipeline catalog', 'failures of all runs, each asset once'],
  ],
  rerun: [
    [
      'renderline rerun --since 7d --failed --dry-run',
      'failed assets of all runs; only show the work',
    ],
    ['renderline rerun RUN --failed', 'failed assets; show them, then ask'],
    [
      'renderline rerun RUN --where \'code == "RENDER_FAILED"\' --yes',
      'failures with this code, without asking',
    ],
    ['renderline rerun RUN --with latest --dry-run', 'with the current file; only show the work'],
  ],
  explain: [
    [
      'renderline explain shoes/a.glb catalog.yaml',
      'why the next run processes or skips the asset',
    ],
    ['renderline explain RL201', 'meaning and fix of a code'],
    ['renderline explain RENDER_FAILED', 'meaning and fix of a failure'],
  ],
  link: [
    ["renderline link RUN --for 'Berta Lang'", 'one person sees the pictures and decides once'],
    ["renderline link RUN --for 'Berta Lang' --within 12h", 'valid for 12 hours'],
  ],
  approve: [
    ['renderline approve RUN', 'show the results or the changed pictures, then ask'],
    ['renderline approve RUN --dry-run', 'only show the results or the pictures'],
    ["renderline approve RUN --only 'chairs/**'", 'approve some assets, the others keep waiting'],
    [
      `renderline approve RUN --reject 'view == "side"' --reason 'too dark'`,
      'reject the side views, approve the others',
    ],
  ],
  pause: [
    ['renderline pause RUN', 'until `renderline resume RUN`'],
    ['renderline pause --all --reason "wrong colours"', 'everything, until `resume --all`'],
    ['renderline pause --all --pipeline catalog --reason "new prices"', 'one pipeline'],
  ],
  resume: [
    ['renderline resume RUN', 'after the cause is fixed'],
    ['renderline resume --all', 'what `pause --all` has paused; counts the missed starts'],
  ],
  cancel: [['renderline cancel RUN', 'delivered files are kept']],
  audit: [
    ['renderline audit --since yesterday', 'who did what, when and why'],
    ['renderline audit --since 30d --format csv', 'export, because Temporal deletes old entries'],
  ],
  apply: [
    ['renderline apply pipelines --dry-run', 'only show the difference'],
    ['renderline apply pipelines --prune', 'also remove what no file declares'],
  ],
  schedules: [
    ['renderline schedules', 'all schedules and their next starts'],
    ['renderline schedules pause nightly --reason "stocktaking"', 'stop starting runs'],
  ],
  'schedules pause': [['renderline schedules pause nightly --reason "stocktaking"', '']],
  'schedules resume': [['renderline schedules resume nightly', '']],
  'schedules trigger': [
    ['renderline schedules trigger nightly', ''],
    ['renderline schedules trigger nightly --dry-run', 'only show what would be started'],
  ],
  backfill: [
    ['renderline backfill nightly --from 2026-11-01 --to 2026-11-07', 'show the starts, then ask'],
    [
      'renderline backfill nightly --from 2026-11-01 --to 2026-11-07 --dry-run',
      'only show the starts',
    ],
  ],
  find: [
    ['renderline find 6651f0c2e4b0a1b2c3d4e5f6', "an id from the platform's website or a log"],
  ],
  clean: [
    ['renderline clean catalog.yaml --dry-run', 'only show what would be deleted'],
    ['renderline clean catalog.yaml --older-than 30d', 'keep newer resources'],
  ],
  api: [
    ['renderline api --list', 'every operation'],
    ['renderline api listModels --query status=READY --all', 'every page'],
    ['renderline api deleteModel --params modelId=ID --dry-run', 'only show the request'],
  ],
  platform: [['renderline platform list', 'pipelines that the platform itself runs']],
  'platform list': [['renderline platform list', '']],
  'platform push': [
    [
      'renderline platform push catalog.yaml --dry-run',
      'only show what would be created or updated',
    ],
    ['renderline platform push catalog.yaml --paused', 'create the pipeline paused'],
  ],
  'platform pull': [['renderline platform pull catalog catalog.yaml', '']],
  'platform pause': [['renderline platform pause catalog', '']],
  'platform resume': [['renderline platform resume catalog', '']],
  'platform jobs': [['renderline platform jobs catalog --limit 5', '']],
  deployments: [
    ['renderline deployments', 'builds with their open runs and workers'],
    ['renderline deployments set-current --dry-run', 'only show the effect'],
    ['renderline deployments ramp 10', 'route 10% of new runs to this build'],
    ['renderline deployments rollback', 'route new runs to the previous build'],
  ],
  'deployments set-current': [
    ['renderline deployments set-current', 'this build'],
    ['renderline deployments set-current 1.4.2 --dry-run', 'another build; only show the change'],
  ],
  'deployments ramp': [['renderline deployments ramp 10', 'route 10% of new runs to this build']],
  'deployments rollback': [['renderline deployments rollback --dry-run', 'only show the change']],
  'deployments move': [['renderline deployments move 1.4.1 --dry-run', 'only list the runs']],
  replay: [
    ['renderline replay', 'all open workflows of the server, with this build'],
    [
      'renderline replay --query "RenderlinePipeline = \'catalog\'" --limit 20',
      'at most 20 workflows of each type, of one pipeline',
    ],
    [
      'renderline replay history.json --bundle dist/workflow-bundle.js',
      'a history file, with another build',
    ],
  ],
  worker: [
    ['renderline worker', 'can run on any number of machines'],
    [
      'renderline worker --host studio-2 --health-port 8081',
      'for pipelines with folders on this machine',
    ],
  ],
  webhooks: [
    [
      'renderline webhooks --register https://hooks.example.com/webhooks',
      'register the public address',
    ],
  ],
  codec: [
    ['renderline codec', 'for the Temporal UI in the settings'],
    ['renderline codec --allow-origin http://localhost:8233', 'for another Temporal UI'],
  ],
  mcp: [
    ['renderline mcp', 'over stdio, as MCP clients start it'],
    ['renderline mcp --http --allow-writes', 'over HTTP, with tools that write'],
  ],
  demo: [
    ['renderline demo', 'a small catalog from start to end'],
    ['renderline demo --colorways --keep', 'a colorway grid; keep everything running'],
  ],
  dev: [['renderline dev', 'then run the printed lines in another shell']],
  ui: [['renderline ui pipelines', 'print the address to open in a browser']],
  sandbox: [['renderline sandbox --port 4010 --speed 10', 'ten times as fast as the platform']],
  doctor: [['renderline doctor --fix', 'check, and register missing search attributes']],
  completion: [
    ['source <(renderline completion bash)', 'in ~/.bashrc'],
    ['renderline completion fish > ~/.config/fish/completions/renderline.fish', 'for fish'],
  ],
  help: [['renderline help schedules pause', '']],
};

/** Formats the examples of a command for its help. Returns an empty string if it has none. */
export function formatExamples(path: string): string {
  const lines = examples[path] ?? [];
  if (lines.length === 0) return '';
  return [
    '',
    'Examples:',
    ...lines.flatMap(([line, note]) => [`  ${line}`, ...(note === '' ? [] : [`      ${note}`])]),
  ].join('\n');
}
