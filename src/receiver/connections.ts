// Connections of the receiver: no address, and no number of idle ones, keeps others out.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionCaps {
  most: number;
  /** Connections from one address. A proxy is one address, whoever is behind it. */
  mostOfOne: number;
}

/** Above a cap the one goes that has been without a request for longest; where none is, the newest goes. */
export function capConnections(server: Server, { most, mostOfOne }: ConnectionCaps): void {
  /** Oldest first, with the number of requests under way. */
  const open = new Map<Socket, number>();
  const makeRoom = (among: (socket: Socket) => boolean, newest: Socket) => {
    for (const [socket, requests] of open) {
      if (requests > 0 || socket === newest || !among(socket)) continue;
      open.delete(socket);
      socket.destroy();
      return;
    }
    open.delete(newest);
    newest.destroy();
  };
  server.on('connection', (socket: Socket) => {
    open.set(socket, 0);
    socket.once('close', () => open.delete(socket));
    const { remoteAddress } = socket;
    const isSame = (other: Socket) => other.remoteAddress === remoteAddress;
    const ofOne = [...open.keys()].filter(isSame).length;
    if (ofOne > mostOfOne) makeRoom(isSame, socket);
    else if (open.size > most) makeRoom(() => true, socket);
  });
  server.on('request', ({ socket }, response) => {
    open.set(socket, (open.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const requests = open.get(socket);
      // Connections that were served most recently are closed last.
      if (open.delete(socket) && requests !== undefined) open.set(socket, requests - 1);
    });
  });
}
