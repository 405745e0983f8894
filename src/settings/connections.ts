// Limits the connections of our HTTP servers, so that even many slow or idle senders cannot keep others out.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../api/network/private-addresses.ts';

export interface ConnectionCaps {
  maxConnections: number;
  /** Maximum number of connections from one network. All clients behind a proxy share its address. */
  maxOfNetwork: number;
}

/** Time limit for a request body: `graceMs`, plus one second for each `bytesPerSecond` received. */
export interface BodyPace {
  graceMs: number;
  bytesPerSecond: number;
}

interface Connection {
  readonly network: string;
  request: IncomingMessage | null;
  response: ServerResponse | null;
  /** When the headers of the request were received, ms. `bytesBefore` is the number of bytes read by then. */
  headersReceivedAtMs: number;
  bytesBefore: number;
}

/**
 * Above a cap, closes the connection that has gone longest without a complete request: an idle one, or one whose
 * request is still being received. The connection is taken from the network with the most connections, so that other
 * networks are not affected. A completely received request is always answered.
 */
export function capConnections(
  server: Server,
  { maxConnections, maxOfNetwork }: ConnectionCaps,
): Connections {
  const connections = new Connections();
  server.on('connection', (socket: Socket) => {
    const { network, size, sizeOfNetwork } = connections.add(socket);
    if (sizeOfNetwork > maxOfNetwork) connections.evictConnection(socket, network);
    else if (size > maxConnections) connections.evictConnection(socket, null);
  });
  server.on('request', (request, response) => connections.startRequest(request, response));
  return connections;
}

export class Connections {
  /** Ordered by the time without a complete request, longest first. */
  readonly #connectionsBySocket = new Map<Socket, Connection>();

  add(socket: Socket): { network: string; size: number; sizeOfNetwork: number } {
    const network = networkOf(socket.remoteAddress ?? '');
    this.#connectionsBySocket.set(socket, {
      network,
      request: null,
      response: null,
      headersReceivedAtMs: 0,
      bytesBefore: 0,
    });
    socket.once('close', () => this.#connectionsBySocket.delete(socket));
    const sizeOfNetwork = this.#countByNetwork().get(network) ?? 0;
    return { network, size: this.#connectionsBySocket.size, sizeOfNetwork };
  }

  startRequest(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    this.#touch(socket, {
      request,
      response,
      headersReceivedAtMs: performance.now(),
      bytesBefore: socket.bytesRead,
    });
    response.once('close', () => this.#touch(socket, { request: null, response: null }));
  }

  /**
   * Closes a connection to make room for `newSocket`. If all other connections are being answered, closes `newSocket`.
   * @param network network of the connection, or null for any
   */
  evictConnection(newSocket: Socket, network: string | null): void {
    let victim = newSocket;
    let largest = 0;
    const counts = this.#countByNetwork();
    for (const [socket, connection] of this.#connectionsBySocket) {
      if (socket === newSocket || isResponding(connection)) continue;
      if (network !== null && connection.network !== network) continue;
      const size = counts.get(connection.network) ?? 0;
      if (size > largest) [victim, largest] = [socket, size];
    }
    this.#connectionsBySocket.delete(victim);
    victim.destroy();
  }

  /** Closes connections whose request body arrives too slowly. */
  closeSlow({ graceMs, bytesPerSecond }: BodyPace): void {
    for (const [socket, { request, response, headersReceivedAtMs, bytesBefore }] of this
      .#connectionsBySocket) {
      if (request === null || request.complete) continue;
      const allowedMs = graceMs + ((socket.bytesRead - bytesBefore) * 1_000) / bytesPerSecond;
      if (performance.now() - headersReceivedAtMs <= allowedMs) continue;
      if (response?.headersSent === false && socket.writable) {
        socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
      }
      this.#connectionsBySocket.delete(socket);
      socket.destroy();
    }
  }

  #countByNetwork(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { network } of this.#connectionsBySocket.values())
      counts.set(network, (counts.get(network) ?? 0) + 1);
    return counts;
  }

  /** Moves a connection to the end of the order at each request and response. */
  #touch(socket: Socket, changes: Partial<Connection>): void {
    const connection = this.#connectionsBySocket.get(socket);
    if (connection === undefined) return;
    this.#connectionsBySocket.delete(socket);
    this.#connectionsBySocket.set(socket, Object.assign(connection, changes));
  }
}

function isResponding({ request, response }: Connection): boolean {
  return request?.complete === true && response?.writableFinished === false;
}
