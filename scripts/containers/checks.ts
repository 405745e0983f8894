// Checks an installation without runs: a receiver without the key is not ready, and every container is limited.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asRecord } from '../../src/api/unknown-values.ts';
import type { Installation } from './installation.ts';
import { outputOrThrow, until } from './rounds.ts';

/** A pipeline that starts on an event that never arrives. The check needs only its open, encrypted event trigger. */
const eventPipeline = `name: events
records: pictures
connectors:
  pictures: { type: s3, bucket: renderline, endpoint: "http://object-store:8333", pathStyle: true }
nodes:
  - { id: made, type: project_created, config: { on: project.created, sweep: 24h } }
`;

/**
 * Restarts the receiver, first without and then with the key. Call it after a run with keys. @throws Error with the
 * problem
 */
export async function checkReceiver(installation: Installation): Promise<void> {
  await writeFile(join(installation.project, 'events.yaml'), eventPipeline);
  outputOrThrow(await installation.cli(['apply', 'events.yaml', '--json']));
  const has = async (health: string) =>
    (await installation.containers()).some(
      (container) => container.service === 'receiver' && container.health === health,
    );
  await installation.startWithoutKeys('receiver');
  await until('the receiver without the key is not healthy', () => has('unhealthy'));
  const lines = (await installation.logs(['receiver'], '1000')).split('\n');
  const warnings = lines.filter((line) => line.includes('CODEC_KEY_MISSING')).length;
  if (warnings !== 1)
    throw new Error(`the receiver logged the missing key ${warnings} times instead of once`);
  await installation.start('receiver');
  await until('the receiver with the key is healthy', () => has('healthy'));
}

/** Checks the memory and rights of every running container. @throws Error that lists the services without limits */
export async function checkBounds(installation: Installation): Promise<void> {
  const unboundedServices: string[] = [];
  for (const { id, service, state } of await installation.containers()) {
    if (state !== 'running') continue;
    const { HostConfig } = asRecord(await installation.inspect(id));
    const { Memory, CapDrop, CapAdd, SecurityOpt } = asRecord(HostConfig);
    const isBounded =
      Number(Memory) > 0 &&
      JSON.stringify(CapDrop ?? []).length > '[]'.length &&
      JSON.stringify(CapAdd ?? []) === '[]' &&
      JSON.stringify(SecurityOpt ?? []).includes('no-new-privileges');
    if (!isBounded) unboundedServices.push(service);
  }
  if (unboundedServices.length > 0)
    throw new Error(`without limits: ${unboundedServices.join(', ')}`);
}
