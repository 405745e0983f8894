// A folder of an SFTP server is replaced by a link to another place before each request of the protocol. If the link
// stays, nothing outside is read or written; if the folder is back immediately, no content is.
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Connector } from '../../src/connectors/connector.ts';
import type * as link from '../../src/connectors/sftp/sftp-connection.ts';
import type { ConnectorSpec } from '../../src/plan/types.ts';
import { doings, type Moment, momentsOf, play, Scene } from '../connectors/_swaps.ts';
import { sftpCredentials, sftpServer, useSftp } from '../system/_sftp.ts';

const linkModule = '../../src/connectors/sftp/sftp-connection.ts';
const hook = { before: (): void => undefined };
let connect: (spec: ConnectorSpec) => Connector;

function hooked(real: typeof link): typeof link {
  class HookedLink extends real.SftpConnection {
    override request<T>(
      start: Parameters<typeof real.SftpConnection.prototype.request<T>>[0],
    ): Promise<T> {
      hook.before();
      return super.request<T>(start);
    }
  }
  return { ...real, SftpConnection: HookedLink };
}

describe.skipIf(sftpServer.problem !== null)('SFTP', () => {
  const sftp = useSftp();
  beforeAll(async () => {
    Object.assign(process.env, sftpCredentials);
    vi.doMock(linkModule, async (original) => hooked(await original()));
    // Test files share their modules, and others have loaded the real connection.
    vi.resetModules();
    connect = (await import('../../src/connectors/index.ts')).openConnector;
  });
  afterEach(() => sftp.breakConnections());
  afterAll(() => {
    vi.doUnmock(linkModule);
    vi.resetModules();
    for (const name of Object.keys(sftpCredentials)) delete process.env[name];
  });

  it.each([
    ...doings.map(([name, work]) => [name, 'at first', work] as const),
    ...doings.map(([name, work]) => [name, 'in a folder that was just used', work] as const),
  ])(
    'no content outside the folder is read or written by the operation "%s" %s',
    async (_name, when, work) => {
      const place = await sftp.makeFolder();
      let scenes = 0;
      const played = async (moment: Moment) => {
        scenes += 1;
        const scene = new Scene(join(place, String(scenes)));
        const privateKeyFrom = 'RENDERLINE_SECRET_TEST_SFTP_KEY';
        const connector = connect({ ...sftp.spec, path: scene.root, privateKeyFrom });
        if (when !== 'at first') await connector.read('sub/a.txt');
        // The protocol opens files by name and cannot tell which folder a handle is in.
        const isPutBack = Number.isFinite(moment.backAt);
        return play(scene, hook, () => work(connector), moment, isPutBack);
      };
      const { calls, trace } = await played({ swapAt: 0, backAt: 0 });
      expect([trace, calls > 1]).toEqual([null, true]);
      const traces: string[] = [];
      for (const moment of momentsOf(calls)) {
        const { trace: left } = await played(moment);
        if (left !== null) traces.push(`${moment.swapAt}-${moment.backAt}: ${left}`);
      }
      expect(traces).toEqual([]);
    },
  );
});
