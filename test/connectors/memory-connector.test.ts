// The tests' own connector must pass the same tests, or its results would mean nothing.
import { MemoryBucket, MemoryConnector } from './_memory-connector.ts';
import { testConnector } from './connector.testsuite.ts';

testConnector('memory', {
  connect: async () => new MemoryConnector(),
  connectNowhere: async () => {
    const bucket = new MemoryBucket();
    bucket.exists = false;
    return new MemoryConnector(bucket);
  },
});
