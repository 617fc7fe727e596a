/**
 * Tests receivers over TLS: events are sent only to one with a valid certificate of a trusted authority for
 * its own name.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { findProgram } from '../../src/sandbox/find-program.ts'
import { useDatabase } from '../support/database.ts'
import { deliveryOf, emitEvents, merchantAt, startDispatching } from './dispatching.ts'

const database = useDatabase()
const hasOpenssl = findProgram('openssl') !== undefined
const host = 'hook.example'
let folder: string

const fileOf = (name: string) => join(folder, name)
const openssl = (...words: readonly string[]) => execFileSync('openssl', words, { stdio: 'ignore' })
const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

function makeAuthority(name: string): void {
  const files = ['-keyout', fileOf(`${name}.key`), '-out', fileOf(`${name}.crt`)]
  openssl('req', '-x509', '-days', '2', ...key, '-subj', `/CN=${name}`, ...files)
}

function makeCertificate(name: string, by: string, forHost: string, days: number): void {
  const request = ['-keyout', fileOf(`${name}.key`), '-out', fileOf(`${name}.csr`)]
  openssl('req', ...key, '-subj', `/CN=${forHost}`, ...request)
  writeFileSync(fileOf(`${name}.ext`), `subjectAltName=DNS:${forHost}\n`)
  const authority = ['-CA', fileOf(`${by}.crt`), '-CAkey', fileOf(`${by}.key`), '-CAcreateserial']
  const files = [
    '-in',
    fileOf(`${name}.csr`),
    '-extfile',
    fileOf(`${name}.ext`),
    '-out',
    fileOf(`${name}.crt`),
  ]
  openssl('x509', '-req', '-days', `${days}`, ...authority, ...files)
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'coffer-receivers-'))
  if (!hasOpenssl) return
  for (const name of ['trusted', 'unknown']) makeAuthority(name)
  makeCertificate('right', 'trusted', host, 2)
  makeCertificate('other-name', 'trusted', 'other.example', 2)
  makeCertificate('expired', 'trusted', host, -1)
  makeCertificate('of-nobody', 'unknown', host, 2)
})
afterAll(() => rmSync(folder, { recursive: true }))

/**
 * Returns the outcome of an event that is sent to a receiver with this certificate, and how many requests the
 * receiver got.
 */
async function deliverTo(certificate: string, { isTrusted = true } = {}) {
  let requests = 0
  const pair = {
    cert: readFileSync(fileOf(`${certificate}.crt`)),
    key: readFileSync(fileOf(`${certificate}.key`)),
  }
  const server = createServer(pair, (request, response) => {
    requests += 1
    request.resume().on('end', () => response.end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const [id] = await emitEvents(database.db, await merchantAt(database.db, `https://${host}:${port}/`))
  startDispatching(database.db, {
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    ...(isTrusted && { trustedCertificates: readFileSync(fileOf('trusted.crt'), 'utf8') }),
  })
  const row = await vi.waitFor(
    async () => {
      const found = await deliveryOf(database.db, id)
      expect(found).toMatchObject({ attempts: 1, isClaimed: false })
      return found
    },
    { timeout: 10_000, interval: 10 },
  )
  return { state: row.state, error: row.tried[0]?.error, requests }
}

describe('F01 a receiver over TLS', () => {
  beforeEach(({ skip }) => skip(!hasOpenssl, 'openssl is not on the PATH (Debian package openssl)'))

  it('with a certificate for its name, of a trusted authority, gets the event', async () => {
    expect(await deliverTo('right')).toEqual({ state: 'delivered', error: null, requests: 1 })
  })

  it.each([
    ['for another name', 'other-name', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['that is past its time', 'expired', 'CERT_HAS_EXPIRED'],
    ['of an unknown authority', 'of-nobody', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ])(
    'with a certificate %s gets nothing, and the attempt states the reason',
    async (_what, certificate, error) => {
      expect(await deliverTo(certificate)).toEqual({ state: 'pending', error, requests: 0 })
    },
  )

  it('is checked against the well-known authorities if none are configured', async () => {
    const { state, requests } = await deliverTo('right', { isTrusted: false })
    expect({ state, requests }).toEqual({ state: 'pending', requests: 0 })
  })
})
