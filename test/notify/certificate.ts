import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../helpers/temporary-store.ts'

/** Makes a certificate of these names, by default of this machine, that nobody trusts; with its key, PEM. */
export function makeCertificate(names = 'DNS:localhost,IP:127.0.0.1,IP:0.0.0.0'): { cert: string; key: string } {
  const folder = temporaryFolder()
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const args = [
    'req',
    '-x509',
    ...kind,
    '-subj',
    '/CN=localhost',
    '-addext',
    `subjectAltName=${names}`,
    '-keyout',
    keyFile,
    '-out',
    certFile,
  ]
  execFileSync('openssl', args, { stdio: 'ignore' })
  return { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') }
}
