// Arguments and options that several commands share. A flag such as --host or --limit may mean different things in
// different commands. Each meaning then has its own entry. Where only the text differs, `reword` replaces it.
import { sandboxDefaults } from '../sandbox/defaults.ts';
import {
  collectOption,
  createIntegerParser,
  createNumberParser,
  createPortParser,
  parseAddress,
  parseHost,
  parseReason,
} from './params.ts';

const runId = 'run id, as `renderline runs` lists it';

export const sharedArguments = {
  file: ['<file>', 'pipeline file'],
  run: ['<run>', runId],
  /** The run argument of commands that also work on many runs. */
  optionalRun: ['[run]', runId],
} as const;

export const sharedOptions = {
  param: [
    '--param <name=value>',
    'value for a parameter of the pipeline file (repeatable)',
    collectOption,
  ],
  yes: ['--yes', 'do not ask for confirmation'],
  wait: ['--wait', 'follow the run to its end; the exit code reflects the outcome'],
  dryRun: ['--dry-run', 'only show what the command would do'],
  verify: ['--verify', 'compare apparently unchanged sources and delivered files by content'],
  pipeline: ['--pipeline <name>', 'only runs of this pipeline'],
  since: [
    '--since <when>',
    'all runs since this time instead of one run: yesterday, 12h, 7d or a date',
  ],
  sincePipeline: ['--pipeline <name>', 'with --since: only runs of this pipeline'],
  only: ['--only <key>', 'only these assets: a key, path, id or glob (repeatable)', collectOption],
  where: ['--where <cel>', 'only matching assets, such as \'reason == "new" && size < 1000000\''],
  force: ['--force', 'also process unchanged assets again; uploads are reused'],
  /** The length of a list. The command adds the unit. */
  count: ['--limit <n>', 'at most this many', createIntegerParser('--limit')],
  limit: [
    '--limit <name=n>',
    'limit on what the run may create or send: renders, models, projects, requests, or storage=2GB (repeatable)',
    collectOption,
  ],
  withdrawAll: [
    '--withdraw-all',
    'withdraw all missing assets, even above `limits.withdrawn` or if the source is empty',
  ],
  reason: ['--reason <text>', 'reason for the change, shown by `renderline audit`', parseReason],
  workersOfHost: [
    '--host <name>',
    'run on the workers that were started with this --host, where the local folders are',
    parseHost,
  ],
  hostOfWorker: [
    '--host <name>',
    'host name for `renderline run --host` and pipeline files, the same for all workers that share local folders (default: name of the machine)',
    parseHost,
  ],
  /** The address of servers. */
  listen: ['--host <address>', 'network address to listen on', parseAddress],
  port: ['--port <n>', 'port to listen on; 0 picks a free port', createPortParser('--port')],
  healthPort: [
    '--health-port <n>',
    'serve /healthz and /readyz on this port; 0 picks a free port (RENDERLINE_HEALTH_PORT)',
    createPortParser('--health-port'),
  ],
  healthHost: [
    '--health-host <address>',
    'address to serve the probes on; 0.0.0.0 for a kubelet (RENDERLINE_HEALTH_HOST, default 127.0.0.1)',
  ],
  metricsPort: [
    '--metrics-port <n>',
    'serve metrics for Prometheus at /metrics; 0 picks a free port (RENDERLINE_METRICS_PORT)',
    createPortParser('--metrics-port'),
  ],
  metricsHost: [
    '--metrics-host <address>',
    'address to serve the metrics on (RENDERLINE_METRICS_HOST, default 127.0.0.1)',
  ],
  speed: [
    '--speed <x>',
    'speed of the sandbox; 10 is ten times as fast as the platform',
    createNumberParser('--speed'),
  ],
  rateLimit: [
    '--rate-limit <n>',
    `requests that the sandbox accepts per rate window; 0 = no limit (default: ${sandboxDefaults.rateLimit})`,
    createNumberParser('--rate-limit'),
  ],
} as const;

/** Example shown in the error for a wrong --limit of a run. */
export const limitExample = 'renders=100';

/** Returns a shared option with another text. @param newText the text, or what makes it from the shared text */
export function reword<Flag extends string, Parser extends readonly unknown[]>(
  [flag, text, ...parser]: readonly [Flag, string, ...Parser],
  newText: string | ((text: string) => string),
): readonly [Flag, string, ...Parser] {
  return [flag, typeof newText === 'string' ? newText : newText(text), ...parser];
}
