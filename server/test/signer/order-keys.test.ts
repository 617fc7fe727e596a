/** The files with the keys that sign orders, as `coffer keys order-key` and a sandbox make them. */
import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openOrderSigner, openOrderVerifier } from '../../src/app/keys/open-order-keys.ts'
import { readOrderSigner, readOrderVerifier } from '../../src/signer/keys/order-keys.ts'
import { signerFiles } from '../../src/signer/keys/signer-files.ts'
import type { Order } from '../../src/signing/order-signature.ts'
import { runCoffer, useDataDirs } from '../support/coffer-process.ts'

const dataDirs = useDataDirs()
const order: Order = {
  id: 'w',
  merchantId: 'm',
  asset: 'ethereum/ETH',
  contract: null,
  address: '0xaa',
  amountMinor: 2n,
  feeMinor: 1n,
  invoiceId: null,
}

async function freshFiles() {
  const folder = await dataDirs.fresh()
  const orderKey = join(folder, 'order.key')
  const orderPublicKeys = join(folder, 'order-keys.pub')
  const words = ['keys', 'order-key', '--private', orderKey, '--public', orderPublicKeys]
  return { folder, orderKey, orderPublicKeys, words }
}

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)
const linesOf = async (path: string) => (await readFile(path, 'utf8')).trim().split('\n')

describe('coffer keys order-key', () => {
  it('creates a private and a public file, and changes nothing if it is run again', async () => {
    const { orderKey, orderPublicKeys, words } = await freshFiles()
    const { code, stdout, stderr } = await runCoffer(words, {})
    expect(code, stderr).toBe(0)
    expect([await modeOf(orderKey), await modeOf(orderPublicKeys)]).toEqual(['600', '644'])
    expect(await linesOf(orderPublicKeys)).toEqual([stdout.trim()])
    const [seed = ''] = await linesOf(orderKey)
    expect(stdout + stderr).not.toContain(seed)
    const made = await Promise.all([orderKey, orderPublicKeys].map(linesOf))
    expect((await runCoffer(words, {})).stdout).toBe(stdout)
    expect(await Promise.all([orderKey, orderPublicKeys].map(linesOf))).toEqual(made)
    const signature = (await readOrderSigner(orderKey)).sign('ethereum', order)
    expect((await readOrderVerifier(orderPublicKeys)).verify('ethereum', order, signature)).toBe(true)
  })

  it('puts a new key before the others, and accepts the former one until its line is removed', async () => {
    const { orderKey, orderPublicKeys, words } = await freshFiles()
    await runCoffer(words, {})
    const former = (await readOrderSigner(orderKey)).sign('ethereum', order)
    expect((await runCoffer([...words, '--rotate'], {})).code).toBe(0)
    expect([await modeOf(orderKey), await modeOf(orderPublicKeys)]).toEqual(['600', '644'])
    const later = (await readOrderSigner(orderKey)).sign('ethereum', order)
    expect(later.slice(0, 8)).not.toBe(former.slice(0, 8))
    const both = await readOrderVerifier(orderPublicKeys)
    expect([former, later].map((one) => both.verify('ethereum', order, one))).toEqual([true, true])
    const [first = ''] = await linesOf(orderPublicKeys)
    await writeFile(orderPublicKeys, `${first}\n`)
    const only = await readOrderVerifier(orderPublicKeys)
    expect([former, later].map((one) => only.verify('ethereum', order, one))).toEqual([false, true])
  })

  it('keeps a public key whose private one was lost', async () => {
    const { orderKey, orderPublicKeys, words } = await freshFiles()
    await runCoffer(words, {})
    const former = (await readOrderSigner(orderKey)).sign('ethereum', order)
    await rm(orderKey)
    await runCoffer(words, {})
    expect((await readOrderVerifier(orderPublicKeys)).verify('ethereum', order, former)).toBe(true)
    expect(await linesOf(orderPublicKeys)).toHaveLength(2)
  })

  it('states what is missing, and refuses a file that others can read or that holds no keys', async () => {
    const { orderKey, orderPublicKeys, words } = await freshFiles()
    const halved = await runCoffer(['keys', 'order-key', '--private', orderKey], {})
    expect([halved.code, halved.stderr]).toEqual([2, expect.stringContaining('--public is missing')])
    expect((await runCoffer([...words, '--rotate'], {})).stderr).toContain(`${orderKey} cannot be read`)
    await runCoffer(words, {})
    await chmod(orderKey, 0o644)
    await expect(readOrderSigner(orderKey)).rejects.toThrow('is readable by others')
    await chmod(orderPublicKeys, 0o664)
    await expect(readOrderVerifier(orderPublicKeys)).rejects.toThrow('is readable by others')
    await chmod(orderPublicKeys, 0o644)
    await writeFile(orderPublicKeys, 'no key\n')
    await expect(readOrderVerifier(orderPublicKeys)).rejects.toThrow('lines of 64 hex digits')
    await writeFile(orderPublicKeys, '')
    await expect(readOrderVerifier(orderPublicKeys)).rejects.toThrow('lines of 64 hex digits')
  })
})

describe('a data folder from before orders were signed', () => {
  it('gets its keys when the API starts, and only in a sandbox', async () => {
    const dataDir = await dataDirs.fresh()
    const config = { dataDir, orderKeyFile: undefined, orderPublicKeysFile: undefined }
    await expect(openOrderSigner({ ...config, mode: 'production' })).rejects.toThrow('cannot be read')
    await expect(openOrderVerifier({ ...config, mode: 'sandbox' })).rejects.toThrow('cannot be read')
    const signer = await openOrderSigner({ ...config, mode: 'sandbox' })
    const verifier = await openOrderVerifier({ ...config, mode: 'sandbox' })
    expect(verifier.verify('ethereum', order, signer.sign('ethereum', order))).toBe(true)
    expect(await modeOf(signerFiles(dataDir).orderKey)).toBe('600')
  })
})
