// Places that say by themselves that they cannot be written are known before anything is paid.
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

/** Those of these types say that they cannot. */
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

describe('the places that a plan writes into', () => {
  it('are those of all steps that deliver, each once', () => {
    expect(exportDestinations(connectorUsesOf(steps), connectors)).toEqual([spec('p'), spec('s')]);
  });

  it('are asked with that of the records; sources and places that nobody uses are not', async () => {
    const { asked, open } = opening('m', 'u');
    await checkDestinations({ records: spec('r'), connectors }, connectorUsesOf(steps), open);
    expect(asked).toEqual(['r', 'p', 's']);
  });

  it.each(['r', 'p', 's'])('stop the run where "%s" says that it cannot', async (bad) => {
    const { open } = opening(bad);
    const uses = connectorUsesOf(steps);
    await expect(checkDestinations({ records: spec('r'), connectors }, uses, open)).rejects.toThrow(
      `${bad} cannot`,
    );
  });

  it('need not say anything', async () => {
    const open = () => new MemoryConnector();
    await checkDestinations({ records: spec('r'), connectors }, connectorUsesOf(steps), open);
  });
});
