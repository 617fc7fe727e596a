/** A sandbox's own keys, made in a process that ends at once, so that the one that serves requests never saw them. */
import { randomBytes } from 'node:crypto'
import { access, link, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createDurably, syncFolder } from '../core/durable-file.ts'
import { KeyTree, newMnemonic } from './key-tree.ts'
import { keystoreText, sealKeystore } from './keystore.ts'
import { openKeys } from './open-keys.ts'
import { readPassphrase, SignerSetupError } from './private-file.ts'
import { SignLog } from './sign-log.ts'
import { type SignerFiles, signerFiles } from './signer-files.ts'

/**
 * Makes what a sandbox's signer needs below a data folder and returns the account xpub of its deposit addresses. Words that
 * an earlier version kept in secrets.json move into the keystore, which gets its name last: while it has none, this is
 * done again from wherever it was left. A folder whose words were taken away gets no keystore: its seed is elsewhere.
 */
export async function prepareSandboxKeys(dataDir: string): Promise<string> {
  const files = signerFiles(dataDir)
  await mkdir(files.folder, { recursive: true, mode: 0o700 })
  await createDurably(files.passphrase, `${randomBytes(32).toString('hex')}\n`)
  await createDurably(files.intentKey, `${randomBytes(32).toString('hex')}\n`)
  if (!(await exists(files.keystore))) {
    const secrets = await readSecrets(dataDir)
    const draft = `${files.keystore}.new`
    const isElsewhere = secrets !== undefined && secrets.mnemonic === undefined && !(await exists(draft))
    if (isElsewhere) return secrets.xpubEvm ?? ''
    await makeKeystore(dataDir, draft, secrets).catch(async (error: unknown) => {
      // Another process was first, and its keystore is the one.
      if (!(await exists(files.keystore))) throw error
    })
    await rm(draft, { force: true })
  }
  return (await keysIn(files, files.keystore)).depositXpub
}

async function makeKeystore(dataDir: string, draft: string, secrets: OldSecrets | undefined): Promise<void> {
  const files = signerFiles(dataDir)
  if (!(await exists(draft))) await createDurably(draft, await newKeystore(files, secrets?.mnemonic))
  const keys = await keysIn(files, draft)
  if (secrets !== undefined && secrets.xpubEvm !== keys.depositXpub) {
    throw new SignerSetupError(
      `${draft} is not of the seed that ${secretsPath(dataDir)} names: put back the files that belong together`,
    )
  }
  if (secrets?.mnemonic !== undefined) await dropMnemonic(dataDir)
  await SignLog.create(files.log, keys.logKey)
  // link(2) refuses a name that is taken: a keystore is never replaced.
  await link(draft, files.keystore)
  await syncFolder(files.folder)
}

/** A new seed has twelve words: nothing of worth is ever kept here. */
async function newKeystore(files: SignerFiles, known: string | undefined): Promise<string> {
  const mnemonic = known ?? newMnemonic(12)
  const { depositXpub } = new KeyTree(mnemonic, 1)
  const passphrase = await readPassphrase(files.passphrase, 1)
  return keystoreText(await sealKeystore({ mnemonic, passphrase, depositXpub, now: new Date() }))
}

async function keysIn(files: SignerFiles, keystore: string): Promise<KeyTree> {
  return openKeys(keystore, files.passphrase, 1)
}

interface OldSecrets {
  readonly mnemonic?: string
  readonly xpubEvm?: string
}

async function readSecrets(dataDir: string): Promise<OldSecrets | undefined> {
  const text = await readFile(secretsPath(dataDir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as OldSecrets
  } catch {
    throw new SignerSetupError(`${secretsPath(dataDir)} cannot be read: put it back from a backup`)
  }
}

/** The file without the words, whole at every moment. */
async function dropMnemonic(dataDir: string): Promise<void> {
  const path = secretsPath(dataDir)
  const { mnemonic, ...rest } = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(rest, null, 2)}\n`)
    await file.sync()
    await rename(draft, path)
  } finally {
    await file.close()
    await rm(draft, { force: true })
  }
  await syncFolder(dataDir)
}

function secretsPath(dataDir: string): string {
  return join(dataDir, 'secrets.json')
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
