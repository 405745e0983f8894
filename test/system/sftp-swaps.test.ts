// A folder of an SFTP server is swapped for a link that leads out before each request of the protocol. Where it stays so nothing outside
// is read or written; where it is put back at once, no content is.
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openConnector } from '../../src/connectors/index.ts';
import { SftpLink } from '../../src/connectors/sftp/sftp-link.ts';
import { doings, type Moment, momentsOf, play, Scene } from '../connectors/_swaps.ts';
import { sftpCredentials, sftpServer, useSftp } from './_sftp.ts';

const hook = { before: (): void => undefined };

describe.skipIf(sftpServer.problem !== null)('SFTP', () => {
  const sftp = useSftp();
  beforeAll(() => {
    Object.assign(process.env, sftpCredentials);
    const { ask } = SftpLink.prototype;
    vi.spyOn(SftpLink.prototype, 'ask').mockImplementation(function (this: SftpLink, start) {
      hook.before();
      return ask.call(this, start) as Promise<never>;
    });
  });
  afterEach(() => sftp.hangUp());
  afterAll(() => {
    vi.restoreAllMocks();
    for (const name of Object.keys(sftpCredentials)) delete process.env[name];
  });

  it.each([
    ...doings.map(([name, work]) => [name, 'at first', work] as const),
    ...doings.map(([name, work]) => [name, 'in a folder that was just used', work] as const),
  ])('%s %s: what is outside stays outside', async (_name, when, work) => {
    const place = await sftp.makeFolder();
    let scenes = 0;
    const played = async (moment: Moment) => {
      scenes += 1;
      const scene = new Scene(join(place, String(scenes)));
      const privateKeyFrom = 'RENDERLINE_SECRET_TEST_SFTP_KEY';
      const connector = openConnector({ ...sftp.spec, path: scene.root, privateKeyFrom });
      if (when !== 'at first') await connector.read('sub/a.txt');
      // The protocol opens by names and cannot tell where a handle is.
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
  });
});
