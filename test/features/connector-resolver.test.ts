// The connectors of a plan are opened once, because a check of every delivered file asks for its connector by name.
import { expect, it } from 'vitest';
import { openConnector } from '../../src/connectors/index.ts';
import { createConnectorResolver } from '../../src/features/discovery-source.ts';
import type { ConnectorSpec } from '../../src/plan/types.ts';

it('each connector of a plan is opened once, however often it is requested', () => {
  const connectors = {
    models: { type: 'local', path: '/models' },
    pictures: { type: 'local', path: '/pictures' },
  };
  const opened: unknown[] = [];
  const open = (spec: ConnectorSpec) => {
    opened.push(spec['path']);
    return openConnector(spec);
  };
  const getConnector = createConnectorResolver({ connectors }, open);

  const [first] = ['pictures', 'models', 'pictures', 'models'].map(getConnector);

  expect(getConnector('pictures')).toBe(first);
  expect(opened).toEqual(['/pictures', '/models']);
});
