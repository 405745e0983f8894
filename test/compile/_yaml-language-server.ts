// The language server behind most editors' YAML support. Used as an editor does, with JSON-RPC over stdio.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

export interface Position {
  line: number;
  character: number;
}

export interface Diagnostic {
  range: { start: Position };
  message: string;
}

interface Message {
  id?: number;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { message: string };
}

/** Editor settings. The server uses only the schema in the file's first line. */
const settings = {
  validate: true,
  completion: true,
  hover: true,
  schemaStore: { enable: false },
  kubernetesCRDStore: { enable: false },
};

const require = createRequire(import.meta.url);
const serverPath = require.resolve('yaml-language-server/bin/yaml-language-server');

export class YamlLanguageServer {
  readonly #child = spawn(process.execPath, [serverPath, '--stdio'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  readonly #answers = new Map<number, (message: Message) => void>();
  readonly #diagnostics = new Map<string, (found: Diagnostic[]) => void>();
  #received = Buffer.alloc(0);
  #lastId = 0;

  static async start(): Promise<YamlLanguageServer> {
    const server = new YamlLanguageServer();
    server.#child.stdout.on('data', (bytes: Buffer) => server.#take(bytes));
    const capabilities = { workspace: { configuration: true }, textDocument: {} };
    await server.#ask('initialize', { processId: process.pid, rootUri: null, capabilities });
    server.#tell('initialized', {});
    return server;
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    await this.#ask('shutdown', null);
    this.#tell('exit', null);
    await ended;
  }

  /** Opens a file and returns its diagnostics. */
  async open(path: string): Promise<Diagnostic[]> {
    const text = readFileSync(path, 'utf8');
    const uri = pathToFileURL(path).href;
    const found = new Promise<Diagnostic[]>((resolve) => this.#diagnostics.set(uri, resolve));
    this.#tell('textDocument/didOpen', {
      textDocument: { uri, languageId: 'yaml', version: 1, text },
    });
    return found;
  }

  /** The completions at a position. */
  async complete(path: string, position: Position): Promise<string[]> {
    const { items } = (await this.#ask('textDocument/completion', at(path, position))) as {
      items: { label: string }[];
    };
    return items.map(({ label }) => label);
  }

  /** The hover text at a position. */
  async hover(path: string, position: Position): Promise<string> {
    const hover = (await this.#ask('textDocument/hover', at(path, position))) as {
      contents: { value: string };
    } | null;
    return hover?.contents.value ?? '';
  }

  #ask(method: string, params: unknown): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#answers.set(id, ({ error, result }) =>
        error === undefined ? resolve(result) : reject(new Error(`${method}: ${error.message}`)),
      );
      this.#send({ id, method, params });
    });
  }

  #tell(method: string, params: unknown): void {
    this.#send({ method, params });
  }

  #send(message: Message): void {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.#child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  #take(bytes: Buffer): void {
    this.#received = Buffer.concat([this.#received, bytes]);
    for (;;) {
      const head = this.#received.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(
        /Content-Length: (\d+)/.exec(this.#received.toString('ascii', 0, head))?.[1],
      );
      const end = head + 4 + length;
      if (this.#received.length < end) return;
      const message: Message = JSON.parse(this.#received.toString('utf8', head + 4, end));
      this.#received = this.#received.subarray(end);
      this.#heed(message);
    }
  }

  #heed({ id, method, params, ...answer }: Message): void {
    if (method === 'textDocument/publishDiagnostics') {
      const { uri, diagnostics } = params as { uri: string; diagnostics: Diagnostic[] };
      this.#diagnostics.get(uri)?.(diagnostics);
    } else if (method !== undefined && id !== undefined) {
      this.#send({ id, result: answerTo(method, params) });
    } else if (id !== undefined) {
      this.#answers.get(id)?.(answer);
    }
  }
}

/** Answers the server's own requests: a request for its configuration, and all others with null. */
function answerTo(method: string, params: unknown): unknown {
  if (method !== 'workspace/configuration') return null;
  const { items } = params as { items: { section: string }[] };
  return items.map(({ section }) => (section === 'yaml' ? settings : {}));
}

function at(path: string, position: Position) {
  return { textDocument: { uri: pathToFileURL(path).href }, position };
}
