// The connector of the tests must pass the same tests as real connectors, so that tests with it are meaningful.
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
