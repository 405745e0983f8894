// The app of one request: its notes and its end.
import { expect, test } from 'vitest';
import { App } from '../../src/app/app.ts';
import { RequestApp } from '../../src/app/request-app.ts';

const parent = new App({ env: { A: 'b' }, cwd: '/tmp', via: 'ui', folders: ['/tmp'] });

test('the app of a request uses the settings of its front end, and keeps its own notes', () => {
  const { signal } = new AbortController();
  const [one, other] = [new RequestApp(parent, signal), new RequestApp(parent, signal)];
  const { env, cwd, via, folders } = one;
  expect({ env, cwd, via, folders }).toEqual({
    env: { A: 'b' },
    cwd: '/tmp',
    via: 'ui',
    folders: ['/tmp'],
  });
  one.note('first\n\n  second \u001b]0;title\u0007');
  expect([one.noteLines, other.noteLines]).toEqual([['first', '  second '], []]);
});

test('the app of a request is interrupted when the request is aborted', async () => {
  const controller = new AbortController();
  const app = new RequestApp(parent, controller.signal);
  expect(await app.complete(async () => 7)).toBe(7);
  const endless = app.complete(() => new Promise(() => {}));
  controller.abort();
  await expect(endless).rejects.toMatchObject({ code: 'INTERRUPTED' });
  await expect(app.complete(() => new Promise(() => {}))).rejects.toMatchObject({
    code: 'INTERRUPTED',
  });
});
