import { describe, expect, test } from 'vitest';
import { createLogger, type LoggerOptions } from '../../src/settings/logger.ts';

function logged(options: Partial<LoggerOptions>, isTTY = false) {
  const lines: string[] = [];
  const stream = { write: (text: string) => lines.push(text), isTTY };
  return { lines, logger: createLogger({ stream, env: {}, ...options }) };
}

describe('the logger', () => {
  test('the logger writes JSON lines if the output is not a terminal', () => {
    const { lines, logger } = logged({ level: 'info' });
    logger.info({ runId: 'r-1' }, 'run started');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: 'run started', runId: 'r-1' });
  });

  test('the logger writes short lines to a terminal', () => {
    const { lines, logger } = logged({ level: 'info' }, true);
    logger.warn({ taskQueue: 'q', why: 'two words' }, 'no worker');
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d warn no worker taskQueue=q why="two words"\n$/);
  });

  test.each([
    [{}, undefined, 'warn'],
    [{ RENDERLINE_LOG: 'debug' }, undefined, 'debug'],
    [{}, 'info', 'info'],
    [{ RENDERLINE_LOG: 'loud' }, undefined, 'warn'],
  ])('the level for %o with the default %s is %s', (env, level, expected) => {
    const { logger } = logged({ env, ...(level === undefined ? {} : { level }) });
    expect(logger.level).toBe(expected);
  });

  test.each([false, true])(
    'the logger escapes control characters in a name, on one line (terminal: %s)',
    (tty) => {
      const name = 'a\nerror b\r\u001b[2K\u009b1m\u202e\u2028c';
      const { lines, logger } = logged({ level: 'info' }, tty);
      logger.info({ asset: name }, `lost ${name}`);
      const [line = ''] = lines;
      const written = String.raw`a\nerror b\r\u001b[2K\u009b1m\u202e\u2028c`;
      expect(line.indexOf('\n')).toBe(line.length - 1);
      expect(line).toContain(`lost ${written}`);
      if (!tty) expect(JSON.parse(line)).toMatchObject({ msg: `lost ${name}`, asset: name });
    },
  );

  test.each([false, true])('the logger prints no secret from any field (terminal: %s)', (tty) => {
    const secrets = ['svc_live_s3cr3t', 'a plain old key'];
    const { lines, logger } = logged({ level: 'info', secrets }, tty);
    const signed = 'https://store.example/u?X-Amz-Signature=abcdef0123';
    logger.info({ a: { b: { c: { key: 'svc_live_s3cr3t' } } } }, 'deep svc_live_s3cr3t');
    logger.info({ url: signed, err: new Error(`PUT ${signed} with a plain old key`) }, signed);
    const all = lines.join('');
    expect(lines).toHaveLength(2);
    expect(all).not.toMatch(/s3cr3t|plain old key|abcdef0123/);
    expect(all).toContain('store.example/u');
  });
});
