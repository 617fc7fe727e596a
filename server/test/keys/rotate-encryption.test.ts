/**
 * Tests a change of ENCRYPTION_KEY. Afterwards everything that it protects is encrypted with the new key, and
 * nothing is lost.
 */
import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { refuseForeignEncryptionKey } from '../../src/app/keys/open-keys.ts'
import { addressMacKeys, rotateEncryption } from '../../src/app/keys/rotate-encryption.ts'
import { readConfig } from '../../src/app/settings/config.ts'
import { firstId, newId } from '../../src/core/ids.ts'
import { keyBytes, openSealer } from '../../src/core/seal.ts'
import { Secret } from '../../src/core/settings.ts'
import { secretOf } from '../../src/merchants/accounts/second-factor/prove-code.ts'
import { readSealedFactorsAfter } from '../../src/merchants/accounts/second-factor/store.ts'
import { base32 } from '../../src/merchants/accounts/second-factor/totp.ts'
import { setWebhook } from '../../src/merchants/change-webhook.ts'
import { reencryptWebhooks } from '../../src/merchants/reencrypt-webhooks.ts'
import { webhookSecretContext } from '../../src/merchants/webhook-endpoint.ts'
import { readSealedAfter } from '../../src/merchants/webhook-store.ts'
import { addressMac, assertGenuine } from '../../src/payments/invoices/addresses/address.ts'
import {
  insertAddresses,
  openBranch,
  readMacsAfter,
} from '../../src/payments/invoices/addresses/address-store.ts'
import { claimTokenKey } from '../../src/payments/invoices/claims/claim.ts'
import { showClaimToken } from '../../src/payments/invoices/claims/show-claim.ts'
import { findKey, keepAnswer } from '../../src/platform/http/idempotency/idempotency-store.ts'
import { password } from '../api/api.ts'
import { useShopApi } from '../api/shop-api.ts'
import { keyFingerprintRecords } from '../support/books/records.ts'
import { useDatabase } from '../support/database.ts'
import { addMerchant } from '../support/merchant-server.ts'
import { invoiceRecords } from '../support/payments/records.ts'
import { idempotencyRecords, secondFactorRecords } from '../support/people/records.ts'
import { now } from '../support/records/values.ts'
import { endpointRecords } from '../support/webhooks/records.ts'

const database = useDatabase()
const api = useShopApi(database, { isFollowed: false })

/** The key of the API under test. */
const former = new Secret('ab'.repeat(32))
const current = new Secret('cd'.repeat(32))
const third = new Secret('ef'.repeat(32))
const both = { encryptionKey: current, encryptionKeyPrevious: former }
const alone = { encryptionKey: current, encryptionKeyPrevious: undefined }
const secrets = [
  'the first secret of a merchant, of 32 characters',
  'the second secret of a merchant, of 32 characters',
]

const start = (keys: typeof both | typeof alone) =>
  refuseForeignEncryptionKey({ config: readConfig({}), db: database.db }, keys)
const startWith = (encryptionKey: Secret, encryptionKeyPrevious?: Secret) =>
  refuseForeignEncryptionKey(
    { config: readConfig({}), db: database.db },
    { encryptionKey, encryptionKeyPrevious },
  )
const rotate = (over: object = {}) =>
  rotateEncryption({ db: database.db, keys: both, onProgress: () => {}, rowsAtOnce: 3, ...over })

beforeEach(async () => {
  await keyFingerprintRecords.remove(database.owner)
  await startWith(former)
})

async function setSecrets(sealer = openSealer(former)): Promise<string> {
  const merchantId = await addMerchant(database.db)
  const webhookRules = () => ({ allowHttp: true, allowPrivate: true, ownUrls: [] })
  for (const secret of secrets)
    await setWebhook(
      { db: database.db, sealer, webhookRules },
      { accountId: newId(), merchantId },
      { url: 'https://shop.example/', secret },
    )
  return merchantId
}

async function openedWith(
  sealer: ReturnType<typeof openSealer>,
  merchantId: string,
): Promise<readonly string[]> {
  const [row] = (await readSealedAfter(database.db, '00000000-0000-0000-0000-000000000000', 10_000)).filter(
    (one) => one.merchantId === merchantId,
  )
  return [row?.formerSealedSecret, row?.sealedSecret].map((sealed) =>
    sealer.open(sealed ?? Buffer.alloc(0), webhookSecretContext(merchantId)).reveal(),
  )
}

async function keptAnswer(sealer = openSealer(former)) {
  const request = { scopeId: newId(), key: 'a key', route: 'POST /x', fingerprint: randomBytes(32) }
  const claim = { claimId: newId(), effectId: newId() }
  await idempotencyRecords.add(database.db, {
    scopeId: request.scopeId,
    key: request.key,
    route: 'POST /x',
    fingerprint: request.fingerprint,
    effectId: claim.effectId,
    claimId: claim.claimId,
    claimedUntil: now,
  })
  await keepAnswer(database.db, sealer, request, claim, { status: 201, headers: {}, body: '{"kept":1}' })
  return request
}

let branch = 1
async function storedAddresses(count: number) {
  branch += 1
  await openBranch(database.db, { family: 'evm', branch }, 'an xpub')
  const { macKey } = addressMacKeys({ encryptionKey: former, encryptionKeyPrevious: undefined })
  const made = Array.from({ length: count }, (_, index) => {
    const at = { family: 'evm', address: `0x${randomBytes(20).toString('hex')}`, branch, index }
    return { ...at, mac: addressMac(macKey, at) }
  })
  await insertAddresses(database.db, made)
  const own = branch
  return async () => (await readMacsAfter(database.db, 0n, 100_000)).filter((one) => one.branch === own)
}

it('encrypts a secret again, even beside one that no key can decrypt, and counts both', async () => {
  await endpointRecords.remove(database.db)
  const merchantId = await setSecrets()
  const lost = openSealer(third).seal('lost', webhookSecretContext(merchantId))
  await endpointRecords.change(database.db, { merchantId }, { formerSealedSecret: lost })
  const sealer = openSealer(current, former)
  const counts = { changed: 0, foreign: 0 }
  for await (const batch of reencryptWebhooks({ db: database.db, sealer }, 100)) {
    counts.changed += batch.changed
    counts.foreign += batch.foreign
  }
  expect(counts).toEqual({ changed: 1, foreign: 1 })
  const [row] = await endpointRecords.all(database.db, { merchantId }, 'sealedSecret', 'formerSealedSecret')
  expect(
    openSealer(current)
      .open(row?.sealedSecret ?? Buffer.alloc(0), webhookSecretContext(merchantId))
      .reveal(),
  ).toBe(secrets[1])
  expect(row?.formerSealedSecret?.equals(lost)).toBe(true)
  await endpointRecords.remove(database.db)
})

describe('a change of ENCRYPTION_KEY', () => {
  it('leaves nothing under the former key: the new key alone decrypts secrets, stored answers, claims and addresses', async () => {
    const merchants = [await setSecrets(), await setSecrets(), await setSecrets(), await setSecrets()]
    const answer = await keptAnswer()
    const addresses = await storedAddresses(7)
    const seller = await api.openSeller()
    const claim = { amount: '10', type: 'withdraw', paymentMethodID: 1 }
    const { body } = await seller.call('POST', '/invoices', { json: claim })
    const ended = await seller.call('POST', '/invoices', { json: claim })
    await invoiceRecords.change(database.db, { id: ended.body.id }, { state: 'expired' })
    const [, token = ''] = /#claim=(.+)$/.exec(body.claimURL) ?? []

    await start(both)
    const said: string[] = []
    const { changed } = await rotate({ onProgress: (line: string) => said.push(line) })
    expect(changed).toBeGreaterThanOrEqual(merchants.length + 1 + 1 + 7)
    expect(said[0]).toMatch(/^webhook secrets: \d+ checked, 4 changed$/)

    await start(alone)
    const sealer = openSealer(current)
    for (const merchantId of merchants) expect(await openedWith(sealer, merchantId)).toEqual(secrets)
    expect((await findKey(database.db, sealer, answer))?.answer?.body).toBe('{"kept":1}')
    const macKeys = addressMacKeys(alone)
    for (const address of await addresses()) assertGenuine(macKeys, address)
    const claimKeys = { db: database.db, sealer, claimKey: claimTokenKey(keyBytes(current)) }
    expect(await showClaimToken(claimKeys, body.id)).toBe(token)
    expect(() => openSealer(former).open(sealer.seal('x', 'y'), 'y')).toThrow('another ENCRYPTION_KEY')
  })

  it('keeps second factors: the same secret, under the new key only', async () => {
    const { token } = await api.register()
    const { body } = await api.call('POST', '/auth/second-factor', { token, json: { password } })
    await start(both)
    await rotate()
    const [row] = await readSealedFactorsAfter(database.db, firstId, 1)
    const { accountId = '', sealedSecret = Buffer.alloc(0) } = row ?? {}
    expect(base32(secretOf(openSealer(current), accountId, sealedSecret))).toBe(body.secret)
    await secondFactorRecords.remove(database.db)
  })

  it('decrypts with both keys during the change, and encrypts with the new one', async () => {
    const merchantId = await setSecrets()
    const addresses = await storedAddresses(1)
    const sealer = openSealer(current, former)
    expect(await openedWith(sealer, merchantId)).toEqual(secrets)
    expect(openSealer(current).open(sealer.seal('text', 'a'), 'a').reveal()).toBe('text')
    for (const address of await addresses()) assertGenuine(addressMacKeys(both), address)
  })

  it('continues where it was interrupted, and changes nothing twice', async () => {
    const addresses = await storedAddresses(20)
    await start(both)
    let statements = 0
    const breaking = {
      query: (statement: Parameters<typeof database.db.query>[0]) => {
        statements += 1
        if (statements > 12) throw new Error('broken off')
        return database.db.query(statement)
      },
    }
    await expect(rotate({ db: breaking })).rejects.toThrow('broken off')
    await expect(start(alone)).rejects.toThrow('is not the key that this database is encrypted with')
    await rotate()
    for (const address of await addresses()) assertGenuine(addressMacKeys(alone), address)
    await start(both)
    expect((await rotate()).changed).toBe(0)
  })

  it('repeats after a pass that changed something, and finds what was encrypted meanwhile', async () => {
    await setSecrets()
    await start(both)
    let late: string | undefined
    const interrupted = {
      query: async (statement: Parameters<typeof database.db.query>[0]) => {
        if (late === undefined && statement.text.includes('from address')) late = await setSecrets()
        return database.db.query(statement)
      },
    }
    await rotate({ db: interrupted })
    expect(await openedWith(openSealer(current), late ?? '')).toEqual(secrets)
  })

  it('reports what neither key decrypts, and leaves it unchanged', async () => {
    const merchantId = await setSecrets(openSealer(third))
    await start(both)
    expect((await rotate()).foreign).toBeGreaterThanOrEqual(1)
    expect(await openedWith(openSealer(third), merchantId)).toEqual(secrets)
    await endpointRecords.remove(database.db, { merchantId })
  })
})

describe('a start', () => {
  const refused = 'is not the key that this database is encrypted with'
  const changing = 'is being re-encrypted under another ENCRYPTION_KEY'

  it('with another key is refused, also with a former key that is not that of the database', async () => {
    await expect(startWith(current)).rejects.toThrow(refused)
    await expect(startWith(current, third)).rejects.toThrow(refused)
    await startWith(former)
  })

  it('with the new key and the former one begins the change, after which both are required until it has ended', async () => {
    await startWith(current, former)
    await expect(startWith(former)).rejects.toThrow(changing)
    await expect(startWith(current)).rejects.toThrow(refused)
    await expect(startWith(third, former)).rejects.toThrow(changing)
    await startWith(former, current)
    await rotate()
    await startWith(current)
    await startWith(current, former)
    await expect(startWith(former)).rejects.toThrow(refused)
  })

  it('with the new key for decryption only, the first step with several processes, changes nothing yet', async () => {
    await startWith(former, current)
    await startWith(former)
  })

  it('can reverse a change: everything is encrypted with the earlier key again', async () => {
    await startWith(current, former)
    const merchantId = await setSecrets(openSealer(current, former))
    await rotate({ keys: { encryptionKey: former, encryptionKeyPrevious: current } })
    await startWith(former)
    expect(await openedWith(openSealer(former), merchantId)).toEqual(secrets)
  })
})
