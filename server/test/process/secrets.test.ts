/**
 * Tests that keys belong to the data they were created with. Keys that do not fit are refused before any
 * address is assigned.
 */
import { copyFile, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeSecrets, readSecrets } from '../../src/app/keys/generated-secrets.ts'
import { openKeys } from '../../src/signer/keys/open-keys.ts'
import { signerFiles } from '../../src/signer/keys/signer-files.ts'
import { merchantAt, openMerchant, printedLogin } from '../support/coffer-client.ts'
import {
  ownSettings,
  processesIn,
  runCoffer,
  type Settings,
  startCoffer,
  useDataDirs,
} from '../support/coffer-process.ts'

const dataDirs = useDataDirs()

describe('a database that was used', () => {
  let dataDir: string
  let settings: Settings
  let secretsFile: string
  let kept: string
  let given: string
  let merchant: Awaited<ReturnType<typeof openMerchant>>
  let invoiceId: string

  beforeAll(async () => {
    dataDir = await dataDirs.fresh()
    settings = await ownSettings(dataDir)
    secretsFile = join(dataDir, 'secrets.json')
    const coffer = await startCoffer(settings)
    merchant = await openMerchant(coffer.url, printedLogin(coffer))
    invoiceId = await merchant.createInvoice()
    given = (await merchant.addressOf(invoiceId)).address
    await coffer.stop()
    kept = join(dataDir, 'secrets.kept')
    await copyFile(secretsFile, kept)
  })
  beforeEach(() => copyFile(kept, secretsFile))

  async function refused(over: Settings = {}): Promise<string> {
    const { code, stdout, stderr } = await runCoffer(['start'], { ...settings, ...over })
    expect([code, stdout, processesIn(dataDir)]).toEqual([1, '', []])
    return stderr
  }

  /** Starts with the secrets in the folder, and checks that it is the same Coffer as before. */
  async function expectItself(over: Settings = {}): Promise<string> {
    const coffer = await startCoffer({ ...settings, ...over })
    expect((await merchantAt(coffer.url, merchant).addressOf(invoiceId)).address).toBe(given)
    await coffer.stop()
    return coffer.stdout
  }

  it('gets no new keys if secrets.json is missing', async () => {
    await rm(secretsFile)
    const said = await refused()
    expect(said).toContain(`${secretsFile} is missing`)
    expect(said).toContain(
      'restore the file, or set JWT_SECRET, ENCRYPTION_KEY, XPUB_EVM to the former values',
    )
    await expect(stat(secretsFile)).rejects.toThrow('ENOENT')
  })

  it('names only the keys that are not set', async () => {
    await rm(secretsFile)
    const { encryptionKey } = JSON.parse(await readFile(kept, 'utf8'))
    const said = await refused({ ENCRYPTION_KEY: encryptionKey })
    expect(said).toContain('or set JWT_SECRET, XPUB_EVM to the former values')
  })

  it('works without the file if all its keys are set, and does not invent a password', async () => {
    await rm(secretsFile)
    const { jwtSecret, encryptionKey, xpubEvm } = JSON.parse(await readFile(kept, 'utf8'))
    const keys = { JWT_SECRET: jwtSecret, ENCRYPTION_KEY: encryptionKey, XPUB_EVM: xpubEvm }
    expect(await expectItself(keys)).toContain('admin@coffer.test / (ADMIN_PASSWORD as you set it)')
    await expect(stat(secretsFile)).rejects.toThrow('ENOENT')
  })

  it('refuses the secrets.json of another Coffer', async () => {
    const other = await dataDirs.fresh()
    await makeSecrets(other)
    await rename(join(other, 'secrets.json'), secretsFile)
    expect(await refused()).toContain(
      `The key in ${secretsFile} is not the key that this database is encrypted`,
    )
  })

  it('refuses a generated seed from which its addresses are not derived, and says how to change it on purpose', async () => {
    const { xpubEvm } = await makeSecrets(await dataDirs.fresh())
    await writeFile(secretsFile, JSON.stringify({ ...JSON.parse(await readFile(kept, 'utf8')), xpubEvm }))
    const said = await refused()
    expect(said).toContain(`The seed in ${secretsFile} is not the one`)
    expect(said).toContain('To change to another seed, set XPUB_EVM')
  })

  it('refuses another ENCRYPTION_KEY', async () => {
    expect(await refused({ ENCRYPTION_KEY: 'ab'.repeat(32) })).toContain(
      'ENCRYPTION_KEY is not the key that this database is encrypted with',
    )
  })

  it('accepts another XPUB_EVM as a deliberate change, and keeps the old addresses', async () => {
    const other = await makeSecrets(await dataDirs.fresh())
    await expectItself({ XPUB_EVM: other.xpubEvm })
    expect(await refused()).toContain('is not the one from which')
  })
})

describe('secrets.json', () => {
  it('is created once: later and simultaneous starts get the same one', async () => {
    const dataDir = await dataDirs.fresh()
    const made = await Promise.all([makeSecrets(dataDir), makeSecrets(dataDir)])
    const all = [...made, await makeSecrets(dataDir), await readSecrets(dataDir)]
    expect(new Set(all.map((one) => one?.xpubEvm)).size).toBe(1)
    expect(new Set(all.map((one) => one?.jwtSecret.reveal())).size).toBe(1)
  })

  it('holds no seed, which another process creates and encrypts and only the signer decrypts', async () => {
    const dataDir = await dataDirs.fresh()
    const { xpubEvm } = await makeSecrets(dataDir)
    const secrets = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8'))
    expect(Object.keys(secrets).sort()).toEqual(['adminPassword', 'encryptionKey', 'jwtSecret', 'xpubEvm'])
    const files = signerFiles(dataDir)
    const keys = await openKeys(files.keystore, files.passphrase, 1)
    expect(keys.depositXpub).toBe(xpubEvm)
    expect((await stat(files.folder)).mode & 0o777).toBe(0o700)
    for (const file of [files.keystore, files.passphrase, files.log, files.intentKey, files.orderKey]) {
      expect((await stat(file)).mode & 0o777).toBe(0o600)
    }
  })

  it('is created with the same keystore if the first attempt was cut off anywhere', async () => {
    const dataDir = await dataDirs.fresh()
    const { xpubEvm } = await makeSecrets(dataDir)
    const files = signerFiles(dataDir)
    const made = (await readdir(files.folder)).sort()
    for (const missing of [[], [files.log], [files.log, `${files.log}.position`, files.intentKey]]) {
      await rename(files.keystore, `${files.keystore}.new`)
      for (const path of [join(dataDir, 'secrets.json'), ...missing]) await rm(path)
      expect((await makeSecrets(dataDir)).xpubEvm).toBe(xpubEvm)
      expect((await readdir(files.folder)).sort()).toEqual(made)
    }
  })
})

describe('one of several processes on a DATABASE_URL', () => {
  it('must be given the shared keys, and all missing ones are named at once', async () => {
    const settings = { DATABASE_URL: 'postgresql://app@127.0.0.1:9/coffer', DATA_DIR: await dataDirs.fresh() }
    const { code, stderr } = await runCoffer(['start', '--roles', 'api'], { ...settings, PORT: '70000' })
    expect(code).toBe(2)
    for (const name of ['JWT_SECRET', 'ENCRYPTION_KEY', 'XPUB_EVM']) {
      expect(stderr).toContain(`- ${name} must be set, and the same for every process`)
    }
    expect(stderr).toContain('- PORT must be')
  })
})
