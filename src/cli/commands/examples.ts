// What each `--help` shows at its end: lines to type, and what they do. Keys are commands as they are typed.
// A test reads every line with the options that the command declares.

type Example = readonly [line: string, does: string];

export const examples: Readonly<Record<string, readonly Example[]>> = {
  init: [
    ['renderline init', 'here; asks what for'],
    ['renderline init shoes --for colorways --yes', 'in the folder shoes, without asking'],
    ['renderline init --samples', 'with ten models to try it on'],
  ],
  validate: [
    ['renderline validate catalog.yaml', 'one file'],
    ['renderline validate pipelines', 'every pipeline in a folder and those below it'],
    ['renderline validate - < catalog.yaml', 'standard input'],
  ],
  test: [
    ['renderline test', 'every test file in and below this folder'],
    ['renderline test catalog.test.yaml --only "takes too long"', 'one test'],
    ['renderline test --junit results.xml', 'for a CI server'],
  ],
  schema: [['renderline schema > renderline.schema.json', 'after an update']],
  graph: [
    ['renderline graph catalog.yaml', 'on the terminal'],
    ['renderline graph catalog.yaml --format mermaid', 'for a page'],
  ],
  plan: [
    ['renderline plan catalog.yaml --param folder=models --param out=pictures', 'a whole run'],
    [
      'renderline plan catalog.yaml --only "shoes/**" --force',
      'some assets, also what is unchanged',
    ],
  ],
  run: [
    ['renderline run catalog.yaml --param folder=models --param out=pictures --wait', 'to its end'],
    ['renderline run catalog.yaml --only "shoes/**" --only boots/a.glb', 'these assets'],
    ['renderline run catalog.yaml --where "size < 1000000" --force', 'those, done or not'],
    ['renderline run catalog.yaml --limit renders=100 --dry-run', 'only show what it would spend'],
  ],
  runs: [
    ['renderline runs --pipeline catalog --limit 5', 'the last five of a pipeline'],
    ['renderline runs --json', 'for a program'],
  ],
  show: [
    ['renderline show RUN', 'as it is now'],
    ['renderline show RUN --wait', 'follow it to its end'],
  ],
  report: [
    ['renderline report RUN', 'RUN.html, a page with its pictures'],
    ['renderline report RUN --format csv --output -', 'for a spreadsheet'],
    ['renderline report --since yesterday', 'what all runs did last night'],
  ],
  failures: [['renderline failures RUN', 'each cause with the command that does it again']],
  rerun: [
    ['renderline rerun RUN --failed', 'what failed; shows it and asks'],
    ['renderline rerun RUN --where \'code == "RENDER_FAILED"\' --yes', 'one cause, without asking'],
    ['renderline rerun RUN --with latest --dry-run', 'with the file as it is now; only show it'],
  ],
  explain: [
    ['renderline explain shoes/a.glb catalog.yaml', 'why the next run takes this asset, or not'],
    ['renderline explain RL201', 'a code: what it means and what to do'],
    ['renderline explain RENDER_FAILED', 'the same for a failure'],
  ],
  approve: [
    ['renderline approve RUN', 'shows what was made, or which pictures have changed, then asks'],
    ['renderline approve RUN --dry-run', 'only show it'],
  ],
  pause: [['renderline pause RUN', 'until `renderline resume RUN`']],
  resume: [['renderline resume RUN', 'after the cause is mended']],
  cancel: [
    ['renderline cancel RUN', 'what is delivered stays'],
    ['renderline cancel RUN --reason "wrong folder"', 'and says why'],
  ],
  audit: [
    ['renderline audit --since yesterday', 'who did what since yesterday'],
    ['renderline audit --run RUN', 'everything that was done to a run'],
    ['renderline audit --since 30d --format csv > audit.csv', 'for a spreadsheet'],
  ],
  apply: [
    ['renderline apply pipelines --dry-run', 'only show the difference'],
    ['renderline apply pipelines --prune', 'and remove what no file declares'],
  ],
  schedules: [
    ['renderline schedules', 'what starts by itself, and when'],
    ['renderline schedules pause nightly --reason "stocktaking"', 'start nothing for now'],
  ],
  'schedules pause': [['renderline schedules pause nightly --reason "stocktaking"', '']],
  'schedules resume': [['renderline schedules resume nightly', '']],
  'schedules trigger': [
    ['renderline schedules trigger nightly', ''],
    ['renderline schedules trigger nightly --dry-run', 'only show what it would start'],
  ],
  backfill: [
    [
      'renderline backfill nightly --from 2026-11-01 --to 2026-11-07',
      'shows the starts, then asks',
    ],
    ['renderline backfill nightly --from 2026-11-01 --to 2026-11-07 --dry-run', 'only show them'],
  ],
  find: [
    ['renderline find 6651f0c2e4b0a1b2c3d4e5f6', 'an id from a page or a log of the platform'],
  ],
  clean: [
    ['renderline clean catalog.yaml --dry-run', 'only show what would be deleted'],
    ['renderline clean catalog.yaml --older-than 30d', 'leave what is younger'],
  ],
  api: [
    ['renderline api --list', 'every operation'],
    ['renderline api listModels --query status=READY --all', 'every page'],
    ['renderline api deleteModel --params modelId=ID --dry-run', 'only show the request'],
  ],
  platform: [['renderline platform list', 'pipelines that the platform itself runs']],
  'platform list': [['renderline platform list', '']],
  'platform push': [
    ['renderline platform push catalog.yaml --dry-run', 'only show what it would make'],
    ['renderline platform push catalog.yaml --paused', 'leave it paused'],
  ],
  'platform pull': [['renderline platform pull catalog catalog.yaml', '']],
  'platform pause': [['renderline platform pause catalog', '']],
  'platform resume': [['renderline platform resume catalog', '']],
  'platform jobs': [['renderline platform jobs catalog --limit 5', '']],
  deployments: [
    ['renderline deployments', 'builds, what is open on each, and who works for it'],
    ['renderline deployments set-current --dry-run', 'what giving new runs to this build would do'],
    ['renderline deployments ramp 10', 'a tenth of the new runs to this build'],
    ['renderline deployments rollback', 'new runs to the build of before'],
  ],
  replay: [
    ['renderline replay', 'what is open on the server, with this program'],
    ['renderline replay --query "PipelineName = \'catalog\'" --limit 20', 'a part of it'],
    [
      'renderline replay history.json --bundle dist/workflow-bundle.js',
      'a file, with another build',
    ],
  ],
  worker: [
    ['renderline worker', 'as many as you like'],
    ['renderline worker --host studio-2 --health-port 8081', 'with the folders of this machine'],
  ],
  webhooks: [
    ['renderline webhooks --register https://hooks.example.com/webhooks', 'behind that address'],
  ],
  codec: [
    ['renderline codec', 'for the Temporal UI that the settings name'],
    ['renderline codec --allow-origin http://localhost:8233', 'for another one'],
  ],
  mcp: [
    ['renderline mcp', 'over stdio, as a client of MCP starts it'],
    ['renderline mcp --http --allow-writes', 'over HTTP, with tools that change things'],
  ],
  demo: [
    ['renderline demo', 'a small catalogue, start to end'],
    ['renderline demo --colorways --keep', 'a grid of colorways; leaves everything running'],
  ],
  dev: [['renderline dev', 'then, in another shell, the lines that it prints']],
  ui: [['renderline ui pipelines', 'prints the address to open in a browser']],
  sandbox: [['renderline sandbox --port 4010 --speed 10', 'ten times as fast as a platform']],
  doctor: [['renderline doctor --fix', 'check, and mend what can be mended']],
  completion: [
    ['source <(renderline completion bash)', 'in ~/.bashrc'],
    ['renderline completion fish > ~/.config/fish/completions/renderline.fish', 'for fish'],
  ],
};

/** The examples of a command as text for its help; empty where it has none. */
export function exampleText(path: string): string {
  const lines = examples[path] ?? [];
  if (lines.length === 0) return '';
  return [
    '',
    'Examples:',
    ...lines.flatMap(([line, does]) => [`  ${line}`, ...(does === '' ? [] : [`      ${does}`])]),
  ].join('\n');
}
