// Every connector type is explained, and its example is one.
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { Connector } from '../../src/compile/connector-specs.ts';
import { connectorSchemas } from '../../src/compile/schema.ts';
import { connectorTexts } from '../../src/docs/connectors-page.ts';

describe('the page of connectors', () => {
  it('explains the types that there are', () => {
    expect(Object.keys(connectorTexts)).toEqual(connectorSchemas().map(({ type }) => type));
  });

  it.each(Object.entries(connectorTexts))(
    'has an example of %s that is valid',
    (type, { example }) => {
      const [spec] = Object.values(parse(example) as Record<string, unknown>);
      expect(Connector.parse(spec)).toMatchObject({ type });
    },
  );
});
