// Drives Chromium with its own protocol, to test pages with their scripts.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { WebSocket } from 'undici';
import { tempFolder, waitUntil } from '../system/_stack.ts';

/** Path of the browser; null if there is none. */
export const chromium =
  ['chromium', 'chromium-browser', 'google-chrome'].find(
    (name) => spawnSync(name, ['--version'], { timeout: 20_000 }).status === 0,
  ) ?? null;

export interface Tab {
  go(url: string): Promise<void>;
  /** Evaluates an expression in the page. */
  value(expression: string): Promise<unknown>;
  /** Waits until an expression in the page is true. */
  until(what: string, expression: string): Promise<void>;
  close(): Promise<void>;
}

export async function openTab(program: string): Promise<Tab> {
  const folder = await tempFolder('browser');
  const browser = spawn(program, [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--remote-debugging-port=0',
    `--user-data-dir=${folder}`,
    'about:blank',
  ]);
  let browserOutput = '';
  browser.stderr.on('data', (chunk: Buffer) => {
    browserOutput += chunk.toString();
  });
  const listening = /DevTools listening on ws:\/\/([\d.:]+)\//;
  await waitUntil('the browser listens', () => listening.test(browserOutput));
  const targets = await fetch(`http://${listening.exec(browserOutput)?.[1]}/json/list`);
  const [page] = (await targets.json()) as { webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(page?.webSocketDebuggerUrl ?? '');
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', () => reject(new Error('the browser refuses its protocol')));
  });
  let asked = 0;
  const ask = (method: string, params: object) => {
    asked += 1;
    const id = asked;
    return new Promise<{ result?: { value?: unknown } }>((resolve) => {
      const hear = ({ data }: { data: unknown }) => {
        const answer = JSON.parse(String(data)) as { id?: number; result?: object };
        if (answer.id !== id) return;
        socket.removeEventListener('message', hear);
        resolve(answer.result ?? {});
      };
      socket.addEventListener('message', hear);
      socket.send(JSON.stringify({ id, method, params }));
    });
  };
  const value = async (expression: string) =>
    (await ask('Runtime.evaluate', { expression, returnByValue: true })).result?.value;
  return {
    value,
    go: async (url) => void (await ask('Page.navigate', { url })),
    until: (what, expression) => waitUntil(what, async () => (await value(expression)) === true),
    async close() {
      const closed = once(browser, 'close');
      browser.kill();
      await closed;
    },
  };
}
