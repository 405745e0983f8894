// Changes packets of an SFTP connection. A packet is a length, a type and a payload (draft-ietf-secsh-filexfer-02).
import { Transform } from 'node:stream';

export type SftpFault = 'no posix-rename' | 'rename overwrites' | 'no rename';

const packet = { version: 2, rename: 18, extended: 200 } as const;

function framed(type: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from([type]), ...parts]);
  return Buffer.concat([lengthOf(body), body]);
}

function named(name: string): Buffer {
  return Buffer.concat([lengthOf(Buffer.from(name)), Buffer.from(name)]);
}

function lengthOf(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return length;
}

/** Changes requests on their way to the server. */
export function alterRequests(faultOf: () => SftpFault | null): Transform {
  return packets((type, whole) => {
    const other = {
      'rename overwrites': 'posix-rename@openssh.com',
      'no rename': 'nothing@example.com',
      'no posix-rename': null,
    }[faultOf() ?? 'no posix-rename'];
    if (type !== packet.rename || other === null) return whole;
    return framed(packet.extended, whole.subarray(5, 9), named(other), whole.subarray(9));
  });
}

/** Changes responses on their way to the client. */
export function alterResponses(faultOf: () => SftpFault | null): Transform {
  return packets((type, whole) =>
    type === packet.version && faultOf() === 'no posix-rename'
      ? framed(packet.version, whole.subarray(5, 9))
      : whole,
  );
}

function packets(change: (type: number, whole: Buffer) => Buffer): Transform {
  let held = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      held = Buffer.concat([held, chunk]);
      for (let end = 0; held.length >= 5; held = held.subarray(end)) {
        end = 4 + held.readUInt32BE(0);
        if (held.length < end) break;
        this.push(change(held[4] ?? 0, held.subarray(0, end)));
      }
      done();
    },
  });
}
