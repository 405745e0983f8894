// How the vendors' clients connect: each to an address of its host that was looked at, and no second lookup follows.
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { guardedLookup } from '../api/network-guard.ts';
import { ForbiddenAddressError } from '../api/transfer-errors.ts';

/** Code of the error of a refused address: the vendors' clients keep no more of an error than its code. */
export const addressRefused = 'ADDRESS_REFUSED';

const lookUp = guardedLookup('any');

/** Stores may stand in a private network; a name that leads there and out, or to a cloud's credentials, is refused. */
export const storeLookup: typeof lookUp = (hostname, options, callback) =>
  lookUp(hostname, options, (error, address, family) => {
    const isRefusal = error instanceof ForbiddenAddressError;
    callback(isRefusal ? Object.assign(error, { code: addressRefused }) : error, address, family);
  });

/** Agents of one client, as the vendors would make them. */
export function storeAgents(): { http: HttpAgent; https: HttpsAgent } {
  const options = { keepAlive: true, maxSockets: 50, lookup: storeLookup };
  return { http: new HttpAgent(options), https: new HttpsAgent(options) };
}
