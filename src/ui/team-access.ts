// Access control of `renderline ui` for a team: a proxy identifies the visitor, or a signed link allows one decision.
import { BlockList, isIPv6 } from 'node:net';
import { tryDecodeURIComponent } from 'hono/utils/url';
import type { TeamUi } from '../settings/config.ts';
import { parseLink } from '../settings/secrets/decision-link.ts';
import { createRefusal, securityHeaders } from './access.ts';
import { runAddress } from './addresses.ts';
import { isReadMethod, mayAct, type Role, requiredRoleOf, roles, type Visitor } from './visitor.ts';

const base = '/';
const linkPath = /^\/decide\/([\w.-]+)(?:\/(.*))?$/;
const maxNameLength = 100;
const utf8 = new TextDecoder('utf-8', { fatal: true });

export class TeamAccess {
  readonly #settings: TeamUi;
  readonly #proxies: BlockList;
  readonly #linkKey: string | null;
  readonly #now: () => number;

  constructor(settings: TeamUi, linkKey: string | null, now: () => number) {
    this.#settings = settings;
    this.#linkKey = linkKey;
    this.#now = now;
    this.#proxies = createAddressList(settings.user?.from ?? []);
  }

  /**
   * @param sender address that the connection comes from
   * @returns the visitor, or why the request is refused
   */
  admit(request: Request, sender: string): Visitor | Response {
    const { pathname } = new URL(request.url);
    const origin = request.headers.get('origin');
    if (!isReadMethod(request.method) && origin !== new URL(this.#settings.origin).origin) {
      return createRefusal(403, 'Requests from other pages are not accepted.');
    }
    const [, token, subpath = ''] = linkPath.exec(pathname) ?? [];
    return token === undefined
      ? this.#admitUser(request, sender, pathname.slice(base.length))
      : this.#admitLink(request, token, subpath);
  }

  #admitUser({ headers, method }: Request, sender: string, path: string): Visitor | Response {
    const { user, roles: people } = this.#settings;
    const name = user === undefined ? '' : decodeHeader(headers.get(user.header) ?? '').trim();
    const isKnown = isAddressIn(this.#proxies, sender) && isPersonName(name);
    if (!isKnown) {
      return createRefusal(
        401,
        "To sign in, open your team's address for these pages, or use a link that was sent to you.",
      );
    }
    const role = roleOf(name, people);
    const requiredRole = requiredRoleOf(method, path);
    if (role === null || !mayAct({ role }, requiredRole)) {
      const given = role === null ? 'no role' : `only the role "${role}"`;
      return createRefusal(
        403,
        `${name} has ${given}, but this request requires the role "${requiredRole}". An operator can grant the role under ui.roles in renderline.yaml.`,
      );
    }
    return { name, role, base, link: null };
  }

  #admitLink({ method }: Request, token: string, path: string): Visitor | Response {
    const link = this.#linkKey === null ? null : parseLink(token, this.#linkKey);
    if (link === null)
      return createRefusal(
        401,
        'This link is not valid. Copy the whole link, or ask for a new one.',
      );
    if (link.untilMs <= this.#now()) {
      return createRefusal(
        401,
        `This link was valid until ${new Date(link.untilMs).toISOString()}. Ask for a new one.`,
      );
    }
    const { id, run, person } = link;
    const linkBase = `/decide/${token}/`;
    if (path === '' && isReadMethod(method)) {
      const location = `${linkBase}${runAddress(run)}`;
      return new Response(null, { status: 303, headers: { ...securityHeaders, location } });
    }
    if (!isDecisionPath(method, path, run)) {
      return createRefusal(403, 'This link only gives access to the decision about one run.');
    }
    return { name: person, role: 'decide', base: linkBase, link: { id, run } };
  }
}

/**
 * True for the page and the review of the run, their pictures, the decisions, and the files that all pages load. A
 * proxy may have decoded the colons in the id of a scheduled run.
 */
function isDecisionPath(method: string, path: string, run: string): boolean {
  if (isReadMethod(method) && ['style.css', 'script.js'].includes(path)) return true;
  const [top, name = '', ...segments] = path.split('/');
  if (top !== 'runs' || tryDecodeURIComponent(name) !== run) return false;
  const page = segments.join('/');
  if (method === 'POST') return page === 'approve' || page === 'review';
  return isReadMethod(method) && /^(?:|review|(?:review\/)?file\/.*)$/s.test(page);
}

/** Returns the highest role of a person. If the file declares no roles, everybody may look. */
function roleOf(name: string, people: TeamUi['roles'] = { look: ['*'] }): Role | null {
  const isNamed = (role: Role) =>
    (people[role] ?? []).some((pattern) => isNameMatch(name, pattern));
  return roles.findLast(isNamed) ?? null;
}

/** Ignores case. A `*` at the start of the pattern matches any text, as in `*@studio.example`. */
function isNameMatch(name: string, pattern: string): boolean {
  const [lowerName, lowerPattern] = [name.toLowerCase(), pattern.toLowerCase()];
  return lowerPattern.startsWith('*')
    ? lowerName.endsWith(lowerPattern.slice(1))
    : lowerName === lowerPattern;
}

/** Decodes the UTF-8 that proxies send. Node.js decodes each byte of a header as Latin-1, which other proxies send. */
function decodeHeader(latin1Text: string): string {
  try {
    return utf8.decode(Buffer.from(latin1Text, 'latin1'));
  } catch {
    return latin1Text;
  }
}

/** False for a list, because a proxy may append its header to one that the visitor has sent. */
function isPersonName(name: string): boolean {
  return name !== '' && name.length <= maxNameLength && !/[,\p{Cc}]/u.test(name);
}

function createAddressList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** True if the list contains the address. An IPv4 client of a server on IPv6 has the form `::ffff:10.0.0.5`. */
function isAddressIn(list: BlockList, sender: string): boolean {
  const address = sender.replace(/^::ffff:(?=\d+\.)/i, '');
  return address !== '' && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
