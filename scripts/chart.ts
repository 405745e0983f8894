// `npm run chart`: renders the Helm chart with minimal values and with each example, runs all installed checkers, and
// lists the missing ones. Options: --schemas LOCATION (kubeconform), --crds FOLDER (CRDs of KEDA and of Temporal's
// Worker Controller), --cluster (upgrades on kubectl's current cluster).
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { checkersOf, kubernetesVersions } from './chart/checkers.ts';
import { testUpgrades } from './chart/cluster.ts';
import { customFaults, definitionsIn } from './chart/custom-resources.ts';
import { valuesSets } from './chart/values-sets.ts';

// This file runs as dist/scripts/chart.js.
const helm = fileURLToPath(new URL('../../deploy/helm', import.meta.url));
const chart = join(helm, 'renderline');
const { values: flags } = parseArgs({
  options: {
    schemas: { type: 'string' },
    crds: { type: 'string' },
    cluster: { type: 'boolean', default: false },
  },
});
const folder = await mkdtemp(join(tmpdir(), 'renderline-chart-'));
const [, newestVersion] = kubernetesVersions;

try {
  const rendered: string[] = [];
  for (const { name, args } of await valuesSets(helm)) {
    await judge(`helm lint, ${name}`, 'helm', ['lint', chart, '--strict', '--quiet', ...args]);
    const file = await render(`helm template, ${name}`, name, args);
    if (file === null) continue;
    rendered.push(file);
  }
  if (rendered.length === 0) {
    console.error('Nothing was rendered: go install helm.sh/helm/v3/cmd/helm@v3.22.0');
    process.exitCode = 1;
  }
  for (const { name, program, args, from } of rendered.length > 0
    ? checkersOf(flags.schemas)
    : []) {
    for (const file of rendered) {
      if ((await judge(`${name}, ${nameOf(file)}`, program, args(file), from)) === undefined) break;
    }
  }
  if (flags.schemas === undefined) {
    console.log(
      'not run    kubeconform: --schemas LOCATION says where schemas are (`default`: the network)',
    );
  }
  if (flags.crds === undefined) {
    console.log('not run    definitions of KEDA: --crds FOLDER, its config/crd/bases');
  } else {
    await judgeCustom(rendered, flags.crds);
  }
  if (flags.cluster) {
    for (const { name, args } of await valuesSets(helm)) await tryOnServer(name, args);
    for (const { what, fault } of await testUpgrades(chart, folder, `chart-${Date.now()}`)) {
      console.log(`${fault === null ? 'ok        ' : 'FAULT     '} upgrades: ${what}`);
      if (fault === null) continue;
      console.error(`  ${fault}`);
      process.exitCode = 1;
    }
  } else {
    console.log('not run    upgrades: --cluster, on the cluster that kubectl is set to');
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Runs a checker. @returns its output, null if it found a fault, or undefined if the program is missing */
async function judge(
  label: string,
  program: string,
  args: readonly string[],
  installHint = '',
): Promise<string | null | undefined> {
  return new Promise((resolve) => {
    const options = { maxBuffer: 64 * 1024 ** 2, timeout: 300_000 };
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error !== null && error.code === 'ENOENT') {
        if (installHint !== '') console.log(`missing    ${program}: ${installHint}`);
        resolve(undefined);
        return;
      }
      console.log(`${error === null ? 'ok        ' : 'FAULT     '} ${label}`);
      if (error !== null) {
        console.error(`${stdout}${stderr}`.replace(/^/gm, '  '));
        process.exitCode = 1;
      }
      resolve(error === null ? stdout : null);
    });
  });
}

/** Renders the chart into a file. @returns the path, or null if helm fails */
async function render(
  label: string,
  name: string,
  args: readonly string[],
): Promise<string | null> {
  const helmArgs = ['template', 'trial', chart, '--kube-version', newestVersion, ...args];
  const text = await judge(label, 'helm', helmArgs);
  if (typeof text !== 'string') return null;
  const path = join(folder, `${name}.yaml`);
  await writeFile(path, text);
  return path;
}

/** Submits the objects to the API server as a dry run. A pod needs a service account that exists. */
async function tryOnServer(name: string, args: readonly string[]): Promise<void> {
  const account = ['--set', 'serviceAccount.create=false'];
  const values = [...args, ...account];
  const file = await render(`helm template for the API server, ${name}`, `${name}.server`, values);
  if (file === null) return;
  const dryRun = ['apply', '--dry-run=server', '--validate=strict', '--filename', file];
  await judge(`API server, ${name}`, 'kubectl', dryRun);
}

async function judgeCustom(files: readonly string[], crds: string): Promise<void> {
  const definitions = await definitionsIn(crds);
  for (const file of files) {
    const { seen, faults } = customFaults(await readFile(file, 'utf8'), definitions);
    if (seen === 0) continue;
    console.log(
      `${faults.length === 0 ? 'ok        ' : 'FAULT     '} ${seen} custom objects, ${nameOf(file)}`,
    );
    for (const fault of faults) console.error(`  ${fault}`);
    if (faults.length > 0) process.exitCode = 1;
  }
}

function nameOf(file: string): string {
  return file.slice(folder.length + 1).replace('.yaml', '');
}
