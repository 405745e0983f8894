// Ports that servers of a round keep though they are away for a while: none of those that the system gives to others.
import { isFreePort } from '../../src/temporal/free-ports.ts';

/** Below those of outgoing connections on every usual system. */
const range = { first: 20_000, last: 32_000 };

/** Processes that play rounds at the same time begin at different places. */
let next = range.first + ((process.pid * 50) % (range.last - range.first));

/** So many ports of 127.0.0.1 that nobody uses now, and that no other round of this process gets. */
export async function keptPorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = next;
    next = port === range.last ? range.first : port + 1;
    if (await isFreePort(port)) ports.push(port);
  }
  return ports;
}
