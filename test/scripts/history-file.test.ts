// Recordings are readable, can be replayed, and contain no data of the machine that made them.
import { describe, expect, it } from 'vitest';
import { fromPlain, recordingText, toPlain } from '../../scripts/record/history-file.ts';
import { pipelineOf } from '../../scripts/record/scenario-pipeline.ts';
import { scenarios } from '../../scripts/record/scenarios.ts';
import { compileText } from '../../src/compile/compile.ts';

/** A 64-bit integer as the protobuf library decodes it. */
const long = (value: number) => ({ low: value, high: 0, unsigned: false, toNumber: () => value });

describe('a history as plain JSON', () => {
  it('the JSON shows payloads as text, and keeps payloads that are not text', () => {
    const plain = toPlain({ data: Buffer.from('{"a":1}'), other: new Uint8Array([0xff, 0xfe]) });
    expect(plain).toEqual({ data: { $text: '{"a":1}' }, other: { $base64: '//4=' } });
  });

  it('the JSON is restored unchanged', () => {
    const event = {
      eventId: long(7),
      eventType: 10,
      payloads: [{ metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('"ü"') }],
      nothing: null,
    };
    const back = fromPlain(JSON.parse(JSON.stringify(toPlain(event))));
    expect(back).toEqual({
      eventId: 7,
      eventType: 10,
      payloads: [{ metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('"ü"') }],
    });
  });

  it('the JSON contains no process and no code location', () => {
    const event = { identity: '12@laptop', requestId: 'abc', stackTrace: 'at /home/me/x.ts:1' };
    expect(JSON.stringify(toPlain(event))).not.toMatch(/laptop|abc|home/);
  });
});

describe('the text of a recording', () => {
  it('a recording has one event per line, with locations and names replaced everywhere', () => {
    const events = [
      { eventId: long(1), data: Buffer.from('{"path":"/tmp/x/models"}') },
      { eventId: long(2) },
    ];
    const text = recordingText({ events }, { '/tmp/x': '/recorded' });
    expect(text.split('\n')).toHaveLength(5);
    expect(text).not.toContain('/tmp/x');
    expect(JSON.parse(text)).toMatchObject({ events: [{ eventId: 1 }, { eventId: 2 }] });
  });
});

describe('scenarios', () => {
  it('scenarios have unique names', () => {
    const names = scenarios.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(scenarios.map((one) => [one.name, one] as const))(
    'the scenario %s is a valid pipeline',
    (_name, one) => {
      const { plan, problems } = compileText(pipelineOf(one), 'recorded.yaml', {
        cwd: '/',
        environment: {},
        fileFolder: '/',
        parameters: { folder: '/models', out: '/out' },
      });
      expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
      expect(plan?.steps.map(({ id }) => id)).toContain('deliver');
    },
  );
});
