// Connections of our servers: no sender, and no number of slow or idle ones, keeps others out.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../api/private-addresses.ts';

export interface ConnectionCaps {
  max: number;
  /** Connections from one network. A proxy is one address, whoever is behind it. */
  maxOfNetwork: number;
}

/** The time that the body of a request has: `graceMs`, and a second more for each `bytesPerSecond` that have come. */
export interface BodyPace {
  graceMs: number;
  bytesPerSecond: number;
}

interface Connection {
  readonly network: string;
  request: IncomingMessage | null;
  response: ServerResponse | null;
  /** When the headers of the request had come, and the bytes read by then. */
  sinceMs: number;
  bytesBefore: number;
}

/**
 * Above a cap the connection is closed that has been without a whole request for longest: an idle one, or one whose request
 * is still coming. It is one of the network with the most connections, so a sender of another network stays.
 * A request that has come whole is answered.
 */
export function capConnections(server: Server, { max, maxOfNetwork }: ConnectionCaps): Connections {
  const connections = new Connections();
  server.on('connection', (socket: Socket) => {
    const { network, size, sizeOfNetwork } = connections.add(socket);
    if (sizeOfNetwork > maxOfNetwork) connections.makeRoom(socket, network);
    else if (size > max) connections.makeRoom(socket, null);
  });
  server.on('request', (request, response) => connections.begin(request, response));
  return connections;
}

export class Connections {
  /** The one that has been without a whole request for longest comes first. */
  readonly #open = new Map<Socket, Connection>();
  readonly #perNetwork = new Map<string, number>();

  add(socket: Socket): { network: string; size: number; sizeOfNetwork: number } {
    const network = networkOf(socket.remoteAddress ?? '');
    const sizeOfNetwork = this.#sizeOf(network) + 1;
    this.#open.set(socket, { network, request: null, response: null, sinceMs: 0, bytesBefore: 0 });
    this.#perNetwork.set(network, sizeOfNetwork);
    socket.once('close', () => this.#forget(socket));
    return { network, size: this.#open.size, sizeOfNetwork };
  }

  begin(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    this.#renew(socket, {
      request,
      response,
      sinceMs: performance.now(),
      bytesBefore: socket.bytesRead,
    });
    response.once('close', () => this.#renew(socket, { request: null, response: null }));
  }

  /** @param network null: of any */
  makeRoom(newest: Socket, network: string | null): void {
    let victim = newest;
    let largest = 0;
    for (const [socket, connection] of this.#open) {
      if (socket === newest || isAnswering(connection)) continue;
      if (network !== null && connection.network !== network) continue;
      const size = this.#sizeOf(connection.network);
      if (size > largest) [victim, largest] = [socket, size];
    }
    this.#forget(victim);
    victim.destroy();
  }

  /** Ends requests whose body comes too slowly. */
  endSlow({ graceMs, bytesPerSecond }: BodyPace, nowMs = performance.now()): void {
    for (const [socket, { request, response, sinceMs, bytesBefore }] of this.#open) {
      if (request === null || request.complete) continue;
      const allowedMs = graceMs + ((socket.bytesRead - bytesBefore) * 1_000) / bytesPerSecond;
      if (nowMs - sinceMs <= allowedMs) continue;
      if (response?.headersSent === false && socket.writable) {
        socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
      }
      this.#forget(socket);
      socket.destroy();
    }
  }

  #sizeOf(network: string): number {
    return this.#perNetwork.get(network) ?? 0;
  }

  /** A connection is as young as its last request or answer. */
  #renew(socket: Socket, changes: Partial<Connection>): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    this.#open.delete(socket);
    this.#open.set(socket, Object.assign(connection, changes));
  }

  #forget(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    this.#open.delete(socket);
    const left = this.#sizeOf(connection.network) - 1;
    if (left > 0) this.#perNetwork.set(connection.network, left);
    else this.#perNetwork.delete(connection.network);
  }
}

function isAnswering({ request, response }: Connection): boolean {
  return request?.complete === true && response?.writableFinished === false;
}
