/**
 * Tests the signer of a running sandbox. The service has none of its keys, and the signer starts and ends
 * with the service.
 */
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { makeSecrets } from '../../src/app/keys/generated-secrets.ts'
import { required } from '../../src/core/assert.ts'
import { isAlive } from '../../src/core/process-table.ts'
import { SignerClient } from '../../src/outgoing/engine/signer-client/signer-client.ts'
import { KeyTree } from '../../src/signer/keys/key-tree.ts'
import { openKeystore, readKeystore } from '../../src/signer/keys/keystore.ts'
import { signerFiles } from '../../src/signer/keys/signer-files.ts'
import { call, merchantAt, openMerchant, printedLogin } from '../support/coffer-client.ts'
import {
  kill,
  ownSettings,
  processesIn,
  type RunningCoffer,
  type Settings,
  startCoffer,
  useDataDirs,
} from '../support/coffer-process.ts'

const dataDirs = useDataDirs()
const patience = { timeout: 30_000, interval: 100 }
let dataDir: string
let settings: Settings
let coffer: RunningCoffer
let merchant: Awaited<ReturnType<typeof openMerchant>>

beforeAll(async () => {
  dataDir = await dataDirs.fresh()
  settings = await ownSettings(dataDir)
  coffer = await startCoffer(settings)
  merchant = await openMerchant(coffer.url, printedLogin(coffer))
  await signerPid()
})

/** Returns the pid of the signer that answers on its socket. */
async function signerPid(): Promise<number> {
  await vi.waitUntil(async () => {
    const client = new SignerClient(join(dataDir, 'signer', 'signer.sock'))
    const isThere = await client.attest().catch(() => undefined)
    await client.close()
    return isThere !== undefined
  }, patience)
  const [pid] = processesIn(dataDir).filter((one) => commandOf(one).includes('--keystore'))
  return required(pid, 'pid of the signer')
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

describe('E18 the process that serves requests', () => {
  it('E18 holds no word of the seed, no passphrase and no key in its memory, while the signer does', async () => {
    const files = signerFiles(dataDir)
    const passphrase = readFileSync(files.passphrase, 'utf8').trim()
    const keystore = readKeystore(readFileSync(files.keystore, 'utf8'), files.keystore)
    const mnemonic = await openKeystore(keystore, passphrase)
    const keys = new KeyTree(mnemonic, 1)
    const hotWallet = required(keys.walletAt({ type: 'hotWallet', hotWallet: 0 }), 'hotWallet').privateKey
    const secrets = {
      words: Buffer.from(mnemonic),
      passphrase: Buffer.from(passphrase),
      hotWalletKey: Buffer.from(hotWallet),
      hotWalletKeyInHex: Buffer.from(Buffer.from(hotWallet).toString('hex')),
    }
    // The service must have done its work before: addresses, requests and payouts.
    await merchant.addressOf(await merchant.createInvoice())
    expect(foundIn(coffer.pid, { ...secrets, xpub: Buffer.from(keys.depositXpub) })).toEqual(['xpub'])
    expect(foundIn(await signerPid(), secrets)).toContain('hotWalletKey')
  })

  it('E18 has no file of the signer open, and the signer has no environment', async () => {
    const open = readdirSync(`/proc/${coffer.pid}/fd`).map((fd) => linkOf(`/proc/${coffer.pid}/fd/${fd}`))
    expect(open.filter((path) => path.includes(join(dataDir, 'signer')))).toEqual([])
    const pid = await signerPid()
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toBe('')
    const signerOpen = readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`))
    expect(signerOpen).toContain(signerFiles(dataDir).log)
  })
})

describe('the signer as a child', () => {
  it('is restarted when it is killed, while the service continues and its operator is alerted', async () => {
    const before = await signerPid()
    kill(before)
    expect((await call(`${coffer.url}/healthz`, 'GET', {})).status).toBe(200)
    await vi.waitUntil(() => !isAlive(before), patience)
    expect(await signerPid()).not.toBe(before)
    await coffer.wrote(/signer-down/)
  })

  it('ends when the service is killed, so that the next start has its own signer', async () => {
    const pid = await signerPid()
    coffer.signal('SIGKILL')
    await coffer.ended
    await vi.waitUntil(() => !isAlive(pid), patience)
    coffer = await startCoffer(settings)
    expect(await signerPid()).not.toBe(pid)
  })
})

describe('an XPUB_EVM without keys at the signer', () => {
  it('E17 assigns no address, and alerts the operator; assigned addresses stay', async () => {
    const invoiceId = await merchantAt(coffer.url, merchant).createInvoice()
    const given = await merchantAt(coffer.url, merchant).addressOf(invoiceId)
    await coffer.stop()
    const { xpubEvm } = await makeSecrets(await dataDirs.fresh())
    coffer = await startCoffer({ ...settings, XPUB_EVM: xpubEvm })
    await coffer.wrote(/xpub-foreign/)
    const shop = merchantAt(coffer.url, merchant)
    expect((await shop.addressOf(invoiceId)).address).toBe(given.address)
    const fresh = await shop.createInvoice()
    const asked = await call(`${coffer.url}/public/invoices/${fresh}/method/3/address`, 'GET', {})
    expect(asked.status).toBe(503)
    await coffer.stop()
  })
})

/** Returns which of these bytes are anywhere in a process's memory. */
function foundIn(pid: number, wanted: Readonly<Record<string, Buffer>>): readonly string[] {
  const memory = openSync(`/proc/${pid}/mem`, 'r')
  const found = new Set<string>()
  try {
    for (const [start, end] of writableRegions(pid)) {
      for (let at = start; at < end; at += stepBytes) {
        const bytes = readAt(memory, at, Math.min(end - at, stepBytes + overlapBytes))
        for (const [name, secret] of Object.entries(wanted)) if (bytes.includes(secret)) found.add(name)
      }
    }
  } finally {
    closeSync(memory)
  }
  return [...found].sort()
}

const stepBytes = 8 * 1024 * 1024
/** Longer than any secret that is searched for. */
const overlapBytes = 1024

function writableRegions(pid: number): readonly (readonly [number, number])[] {
  return readFileSync(`/proc/${pid}/maps`, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, start, end] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? []
      const from = Number.parseInt(start ?? '', 16)
      const to = Number.parseInt(end ?? '', 16)
      return to <= Number.MAX_SAFE_INTEGER ? [[from, to] as const] : []
    })
}

/** Reads a range of memory. Returns no bytes if its region has been unmapped. */
function readAt(memory: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  try {
    return bytes.subarray(0, readSync(memory, bytes, 0, length, at))
  } catch {
    return Buffer.alloc(0)
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
