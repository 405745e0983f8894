// A worker that stands still while another takes its work over, and comes back from the dead with what it had in hand.

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { names, smallModel, writeModels } from './_models.ts';
import { expectPictures, joined, makePlace, reportOf, runToEnd, startRun } from './_runs.ts';
import { during, startSandboxProcess, startWorkerProcess, useProcesses } from './_stack.ts';
import { useDevServer } from './_temporal.ts';

const temporal = useDevServer();
useProcesses();

interface HeldPictures {
  port: number;
  /** Pictures that were asked for and are not given yet. */
  waiting(): number;
  /** Gives them. */
  give(): void;
}

/** Leads to the sandbox, and keeps pictures back until they are given. */
async function holdPictures(origin: string): Promise<HeldPictures> {
  const held: (() => void)[] = [];
  const pass = (answer: IncomingMessage, out: ServerResponse) => {
    out.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(out);
  };
  const server = createServer((incoming, out) => {
    const { method = 'GET', headers, url = '/' } = incoming;
    const onward = request(new URL(url, origin), { method, headers }, (answer) => {
      if (url.startsWith('/cdn/')) held.push(() => pass(answer, out));
      else pass(answer, out);
    });
    onward.on('error', () => out.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    port: (server.address() as AddressInfo).port,
    waiting: () => held.length,
    give: () => held.splice(0).forEach((one) => one()),
  };
}

/** All files of the records that speak of assets' ends, as one text. */
async function recordsOf(out: string): Promise<string[]> {
  const folder = join(out, '.renderline');
  const files = await readdir(folder, { recursive: true });
  const wanted = files.filter(
    (name) => /(^|\/)(records|claims)\//.test(name) && name.endsWith('.json'),
  );
  return Promise.all(wanted.sort().map((name) => readFile(join(folder, name), 'utf8')));
}

test('puts no old picture over a newer one, and writes no record', async () => {
  const sandbox = await startSandboxProcess(['--speed', '20', '--picture-scale', '0']);
  const link = await holdPictures(sandbox.origin);
  const env = joined(temporal.env, sandbox.env);
  const place = await makePlace('zombie');
  const keys = names('zombie', 2);
  await writeModels(place.folder, keys);
  const zombie = await startWorkerProcess({
    ...env,
    RENDERLINE_BASE_URL: `http://127.0.0.1:${link.port}/api/v1`,
  });
  const running = startRun(place, env);
  await during(running, 'the pictures are asked for', async () => link.waiting() === keys.length);
  zombie.process.kill('SIGSTOP');
  link.give();
  // The other takes over once the silence has lasted for the heartbeat timeout.
  await startWorkerProcess(env);
  await expectPictures(reportOf(await running.finished), keys);
  const pictures = () => Promise.all(keys.map((key) => readFile(join(place.out, `${key}.png`))));
  const older = await pictures();
  for (const key of keys)
    await writeFile(join(place.folder, `${key}.glb`), smallModel(`${key} anew`));
  await expectPictures(await runToEnd(place, env), keys);
  const [newer, records] = [await pictures(), await recordsOf(place.out)];
  expect(newer).not.toEqual(older);

  zombie.process.kill('SIGCONT');
  await zombie.says(
    /given up by Temporal|StaleAttempt|Activity not found|activity.*not.?found/i,
    30_000,
  );
  expect(await pictures()).toEqual(newer);
  expect(await recordsOf(place.out)).toEqual(records);
  expect(await zombie.stop()).toMatchObject({ code: 0 });
  // Nothing half-written is left among the pictures.
  const left = (await readdir(place.out)).filter((name) => !name.endsWith('.png'));
  expect(left).toEqual(['.renderline']);
}, 180_000);
