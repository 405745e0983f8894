// Ports that a round's servers keep while they are down. They are outside the range from which the system assigns
// ports.
import { isPortFree } from '../../src/temporal/server/free-ports.ts';

/** A range below the ephemeral port ranges of Linux, macOS and Windows. */
const range = { first: 20_000, last: 32_000 };

/** Processes that run rounds in parallel start with different ports. */
let next = range.first + ((process.pid * 50) % (range.last - range.first));

/** Returns free ports on 127.0.0.1 that no other round of this process uses. */
export async function reservePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = next;
    next = port === range.last ? range.first : port + 1;
    if (await isPortFree(port)) ports.push(port);
  }
  return ports;
}
