// An OpenTelemetry collector: accepts traces over HTTP and parses the parts of spans that tests need.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  /** Empty if there is none. */
  parentId: string;
  name: string;
  attributes: Record<string, string | number | boolean>;
  seconds: number;
  /** 2 is an error. */
  status: number;
}

export interface Collector {
  url: string;
  spans: CollectedSpan[];
  /** All received data as text. */
  text(): string;
  stop(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const bodies: Buffer[] = [];
  const server: Server = createServer((request, response) => {
    void buffer(request).then((body) => {
      bodies.push(body);
      if (request.url === '/v1/traces') spans.push(...spansOf(body));
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    text: () => Buffer.concat(bodies).toString('latin1'),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Value = number | bigint | Buffer;

/** Fields of a protobuf message by number. */
function fieldsOf(message: Buffer): Map<number, Value[]> {
  const fields = new Map<number, Value[]>();
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at++] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const tag = Number(varint());
    const number = tag >> 3;
    let value: Value;
    if ((tag & 7) === 0) value = varint();
    else if ((tag & 7) === 1) {
      value = message.subarray(at, at + 8);
      at += 8;
    } else if ((tag & 7) === 5) {
      value = message.subarray(at, at + 4);
      at += 4;
    } else {
      const length = Number(varint());
      value = message.subarray(at, at + length);
      at += length;
    }
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  return fields;
}

const bytes = (values: Value[] | undefined): Buffer[] =>
  (values ?? []).filter((value): value is Buffer => value instanceof Buffer);
const first = (message: Buffer, number: number): Buffer =>
  bytes(fieldsOf(message).get(number))[0] ?? Buffer.alloc(0);

/** ExportTraceServiceRequest: resource spans, their scopes, their spans. */
function spansOf(body: Buffer): CollectedSpan[] {
  return bytes(fieldsOf(body).get(1))
    .flatMap((resource) => bytes(fieldsOf(resource).get(2)))
    .flatMap((scope) => bytes(fieldsOf(scope).get(2)))
    .map((span) => {
      const nanos = (number: number) => first(span, number).readBigUInt64LE();
      return {
        traceId: first(span, 1).toString('hex'),
        spanId: first(span, 2).toString('hex'),
        parentId: first(span, 4).toString('hex'),
        name: first(span, 5).toString(),
        attributes: Object.fromEntries(bytes(fieldsOf(span).get(9)).map(attributeOf)),
        seconds: Number(nanos(8) - nanos(7)) / 1e9,
        status: Number(fieldsOf(first(span, 15)).get(3)?.[0] ?? 0),
      };
    });
}

function attributeOf(pair: Buffer): [string, string | number | boolean] {
  const value = fieldsOf(first(pair, 2));
  const [text] = bytes(value.get(1));
  const [yes] = value.get(2) ?? [];
  const [whole] = value.get(3) ?? [];
  const [double] = bytes(value.get(4));
  const textOrFlag = text?.toString() ?? (yes === undefined ? undefined : yes === 1n);
  return [first(pair, 1).toString(), textOrFlag ?? double?.readDoubleLE() ?? Number(whole ?? 0)];
}
