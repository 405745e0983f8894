// Destinations that report that they cannot be written. They are found before anything is paid.
import { describe, expect, it } from 'vitest';
import { checkDestinations, exportDestinations } from '../../src/features/destinations.ts';
import { connectorUsesOf } from '../../src/plan/contract/connector-uses.ts';
import type { ConnectorSpec, Plan } from '../../src/plan/types.ts';
import { MemoryConnector } from '../connectors/_memory-connector.ts';

const spec = (type: string): ConnectorSpec => ({ type });
const connectors = { models: spec('m'), pictures: spec('p'), sheets: spec('s'), unused: spec('u') };
const steps = [
  { activity: 'connector_poll', config: { connector: 'models' } },
  { activity: 'render', config: {} },
  { activity: 'export', config: { connector: 'pictures' } },
  { activity: 'export', config: { connector: 'sheets' } },
  { activity: 'export', config: { connector: 'pictures' } },
] as Plan['steps'];

/** Opens connectors; those of the given types report that they cannot be written. */
function opening(...bad: string[]) {
  const asked: string[] = [];
  const open = ({ type }: ConnectorSpec) =>
    Object.assign(new MemoryConnector(), {
      async checkWritable() {
        asked.push(type);
        if (bad.includes(type)) throw new Error(`${type} cannot`);
      },
    });
  return { asked, open };
}

describe('the destinations of a plan', () => {
  it('the destinations are those of all delivering steps, each listed once', () => {
    expect(exportDestinations(connectorUsesOf(steps), connectors)).toEqual([spec('p'), spec('s')]);
  });

  it('destinations and records are checked; sources and unused connectors are not', async () => {
    const { asked, open } = opening('m', 'u');
    await checkDestinations({ records: spec('r'), connectors }, connectorUsesOf(steps), open);
    expect(asked).toEqual(['r', 'p', 's']);
  });

  it.each(['r', 'p', 's'])('the run stops if "%s" is not writable', async (bad) => {
    const { open } = opening(bad);
    const uses = connectorUsesOf(steps);
    await expect(checkDestinations({ records: spec('r'), connectors }, uses, open)).rejects.toThrow(
      `${bad} cannot`,
    );
  });

  it('a destination does not have to support the check', async () => {
    const open = () => new MemoryConnector();
    await checkDestinations({ records: spec('r'), connectors }, connectorUsesOf(steps), open);
  });
});
