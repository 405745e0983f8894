// A certificate authority for a test file, made by the openssl program; it signs valid and expired certificates.
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** False if the openssl program is missing. */
export const canCertify = spawnSync('openssl', ['version']).status === 0;

export interface Certificate {
  /** Paths of PEM files. */
  cert: string;
  key: string;
}

export class Authority {
  readonly #folder: string;
  readonly own: Certificate;

  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.own = this.#files(name);
    const { cert, key } = this.own;
    const subject = ['-subj', `/CN=${name}`, '-days', '2', '-keyout', key, '-out', cert];
    openssl([
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      ...subject,
    ]);
  }

  /** @param days validity from now; a negative number makes a certificate that expired so many days ago */
  sign(name: string, days = 2): Certificate {
    const made = this.#files(name);
    const request = join(this.#folder, `${name}.csr`);
    const extensions = join(this.#folder, `${name}.ext`);
    writeFileSync(extensions, 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
    openssl([
      'req',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-subj',
      `/CN=${name}`,
      '-keyout',
      made.key,
      '-out',
      request,
    ]);
    const by = [
      '-CA',
      this.own.cert,
      '-CAkey',
      this.own.key,
      '-CAcreateserial',
      '-extfile',
      extensions,
    ];
    if (days > 0)
      openssl(['x509', '-req', '-in', request, '-out', made.cert, ...by, '-days', String(days)]);
    else this.#signPast(request, made.cert, extensions, days);
    return made;
  }

  /** Only `openssl ca` can backdate certificates in every version. */
  #signPast(request: string, cert: string, extensions: string, days: number): void {
    const at = (name: string) => join(this.#folder, name);
    writeFileSync(at('index.txt'), '');
    writeFileSync(at('serial'), '1000\n');
    const section = `[ca]\ndefault_ca=one\n[one]\ndatabase=${at('index.txt')}\nserial=${at('serial')}\nnew_certs_dir=${this.#folder}\ndefault_md=sha256\npolicy=any\n[any]\ncommonName=supplied\n`;
    writeFileSync(at('ca.cnf'), section);
    openssl([
      'ca',
      '-batch',
      '-config',
      at('ca.cnf'),
      '-cert',
      this.own.cert,
      '-keyfile',
      this.own.key,
      '-in',
      request,
      '-out',
      cert,
      '-notext',
      '-extfile',
      extensions,
      '-startdate',
      stamp(days - 1),
      '-enddate',
      stamp(days),
    ]);
  }

  #files(name: string): Certificate {
    return { cert: join(this.#folder, `${name}.pem`), key: join(this.#folder, `${name}.key`) };
  }
}

/** The time after this number of days, such as `20261124120000Z`. */
function stamp(days: number): string {
  const at = new Date(Date.now() + days * 86_400_000).toISOString();
  return `${at.replace(/\D/g, '').slice(0, 14)}Z`;
}

function openssl(args: string[]): void {
  execFileSync('openssl', args, { stdio: 'pipe' });
}
