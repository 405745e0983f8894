import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TemporalServerNotFoundError } from '../../src/temporal/server/server-search.ts';
import { findTestServer } from '../../src/temporal/server/test-server.ts';
import { fakeMachine, program } from './_fake-machine.ts';

const usage = 'echo "Usage: <command> <port> <flags>"; echo "--enable-time-skipping"';
const maven = 'Maven (io.temporal:temporal-test-server:1.38.0)';

/** A fake Maven that "copies" the artifact of the pom, and a fake Java that starts it. */
const mvnScript = `
while read -r line; do
  case "$line" in *temporal-test-server*) asked=yes;; esac
done < pom.xml
[ "$asked" = yes ] || exit 1
/bin/mkdir lib
echo jar > lib/temporal-test-server-1.38.0.jar
echo "$@" > arguments`;
const javaScript = `case "$*" in *io.temporal.testserver.TestServer*) ${usage};; esac`;

describe('the order of the sources', () => {
  test('Maven copies the server and its dependencies into the cache', async () => {
    const machine = await machineWithJava();
    const found = await findTestServer(machine);
    expect(found).toEqual({ path: join(machine.cacheDir, 'test-server', 'start'), origin: maven });
    expect(await machine.cached('test-server/lib')).toEqual(['temporal-test-server-1.38.0.jar']);
    expect(await readFile(join(machine.cacheDir, 'test-server', 'arguments'), 'utf8')).toContain(
      'dependency:copy-dependencies -DoutputDirectory=lib',
    );
  });

  test('a server that was downloaded once is found in the cache the next time, without Maven', async () => {
    const machine = await machineWithJava();
    await findTestServer(machine);
    await machine.install('mvn', 'exit 1');
    const again = await findTestServer(machine);
    expect(again.origin).toBe('own cache');
  });

  test('a cached server that does not start is downloaded again', async () => {
    const machine = await machineWithJava();
    await program(join(machine.cacheDir, 'test-server', 'start'), 'exit 127');
    const found = await findTestServer(machine);
    expect(found.origin).toBe(maven);
  });
});

describe('when all sources fail', () => {
  test.each([
    ['no Maven', undefined, javaScript, 'mvn is not on PATH'],
    ['no internet', 'echo "Could not resolve" >&2; exit 1', javaScript, 'Could not resolve'],
    ['no Java', mvnScript, undefined, 'java: not found'],
    [
      'a server that does not start',
      mvnScript,
      'echo "wrong class version"',
      'wrong class version',
    ],
  ])('with %s, the error contains the reason', async (_what, mvn, java, reason) => {
    const machine = await fakeMachine();
    if (mvn) await machine.install('mvn', mvn);
    if (java) await machine.install('java', java);
    const error = await findTestServer(machine).catch((thrown: unknown) => thrown);
    if (!(error instanceof TemporalServerNotFoundError)) throw error;
    expect(error.steps.map((step) => step.name)).toEqual(['own cache', maven]);
    expect(error.steps[1]?.reason).toContain(reason);
    expect(error.message).toMatch(/Fix: install Java 17 or newer and Maven/);
    expect(await machine.cached('.')).toEqual([]);
  });
});

async function machineWithJava() {
  const machine = await fakeMachine();
  await machine.install('mvn', mvnScript);
  await machine.install('java', javaScript);
  return machine;
}
