// Every connector type is explained and has a valid example.
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { schemaOf } from '../../src/connectors/connector-type.ts';
import { connectorTypes } from '../../src/connectors/index.ts';

it.each(connectorTypes.map((type) => [type.type, type] as const))(
  'the page contains a valid example of %s',
  (name, type) => {
    const [spec] = Object.values(parse(type.example) as Record<string, unknown>);
    expect(schemaOf(type).parse(spec)).toMatchObject({ type: name });
  },
);
