// The registry of dimensions matches the names of fields and the node types.
import { expect, it } from 'vitest';
import { dimensions } from '../../src/features/grid/dimensions.ts';
import { nodeTypes } from '../../src/features/index.ts';
import { dimensionNames } from '../../src/language/dimension-names.ts';

it('each dimension is a field in file names and expressions', () => {
  expect(dimensions.map(({ name }) => name)).toEqual([...dimensionNames]);
});

it('the dimensions of node types are registered, each for one type', () => {
  const ofNodes = nodeTypes.flatMap(({ dimensions: some = [] }) =>
    some.map((one) => one.dimension),
  );
  expect(new Set(ofNodes)).toEqual(new Set(dimensions));
  expect(ofNodes).toHaveLength(dimensions.length);
});
