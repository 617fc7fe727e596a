import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readTls } from '../../src/app/settings/read-tls.ts'
import { SettingsError } from '../../src/core/settings.ts'
import { httpRoutes } from '../../src/platform/http/routes.ts'
import { findProgram } from '../../src/sandbox/find-program.ts'
import { useMadeServers } from '../support/made-server.ts'

const startServer = useMadeServers()
let folder: string

const hasOpenssl = findProgram('openssl') !== undefined

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'coffer-tls-'))
  for (const name of hasOpenssl ? ['one', 'other'] : []) makePair(name)
})

afterAll(() => rmSync(folder, { recursive: true }))

const certOf = (name: string) => join(folder, `${name}.crt`)
const keyOf = (name: string) => join(folder, `${name}.key`)

function makePair(name: string): void {
  const pair = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyOf(name)]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1', '-out', certOf(name)]
  execFileSync('openssl', ['req', '-x509', '-days', '2', ...pair, ...subject], { stdio: 'ignore' })
}

describe('TLS_CERT_FILE and TLS_KEY_FILE', () => {
  beforeEach(({ skip }) => skip(!hasOpenssl, 'openssl is not on the PATH (Debian package openssl)'))

  it('serve HTTPS to a client that trusts the certificate', async () => {
    const tls = readTls({ tlsCertFile: certOf('one'), tlsKeyFile: keyOf('one') })
    const { port } = await startServer({ routes: httpRoutes(), tls })
    const dispatcher = new Agent({ connect: { ca: readFileSync(certOf('one'), 'utf8') } })
    const answer = await request(`https://127.0.0.1:${port}/healthz`, { dispatcher })
    expect({ status: answer.statusCode, body: await answer.body.json() }).toEqual({
      status: 200,
      body: { status: 'ok' },
    })
    expect(answer.headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains')
    await dispatcher.close()
  })

  it('are optional: without both the server speaks plain HTTP', () => {
    expect(readTls({ tlsCertFile: undefined, tlsKeyFile: undefined })).toBe(undefined)
  })

  it('are refused with a remedy if only one is set, one cannot be read, or they do not match', () => {
    const garbage = join(folder, 'garbage')
    writeFileSync(garbage, 'no PEM')
    chmodSync(garbage, 0o600)
    const refused = [
      [{ tlsCertFile: certOf('one'), tlsKeyFile: undefined }, 'set both'],
      [{ tlsCertFile: undefined, tlsKeyFile: keyOf('one') }, 'set both'],
      [{ tlsCertFile: join(folder, 'none'), tlsKeyFile: keyOf('one') }, 'TLS_CERT_FILE cannot be read'],
      [{ tlsCertFile: certOf('one'), tlsKeyFile: folder }, 'TLS_KEY_FILE cannot be read'],
      [{ tlsCertFile: certOf('one'), tlsKeyFile: keyOf('other') }, 'do not work together'],
      [{ tlsCertFile: garbage, tlsKeyFile: keyOf('one') }, 'do not work together'],
    ] as const
    for (const [files, remedy] of refused) {
      expect(() => readTls(files)).toThrow(SettingsError)
      expect(() => readTls(files)).toThrow(remedy)
    }
  })
})
