// The tests' own connector obeys the rules too, or what it shows would mean nothing.
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
