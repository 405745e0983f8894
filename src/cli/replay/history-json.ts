// Reads the JSON form of a history. The SDK's own reader finds its schema and its parser in two copies of one library where
// npm installs it more than once, and then refuses every file; here both come from one place.
import { createRequire } from 'node:module';

interface Schema {
  fromJson: (type: unknown, json: unknown, options: { ignoreUnknownFields: boolean }) => unknown;
}

/** @throws Error that says what of it is no history */
export function historyOfJson(json: { events: unknown[] }): unknown {
  const ours = createRequire(import.meta.url);
  const ofCommon = createRequire(ours.resolve('@temporalio/common'));
  const ofProto = createRequire(ofCommon.resolve('@temporalio/proto'));
  const { fromJson }: Schema = ofProto('protobufjs/ext/protojson');
  const proto: unknown = ofCommon('@temporalio/proto');
  const { patchProtobufRoot }: { patchProtobufRoot: (root: unknown) => Root } = ofCommon(
    '@temporalio/proto/lib/patch-protobuf-root',
  );
  const type = patchProtobufRoot(proto).lookupType('temporal.api.history.v1.History');
  return fromJson(type, json, { ignoreUnknownFields: true });
}

interface Root {
  lookupType: (name: string) => unknown;
}
