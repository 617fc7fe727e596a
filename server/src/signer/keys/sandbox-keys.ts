/**
 * Creates a sandbox's keys. This code runs in a short-lived process, so that the process that serves requests
 * never has the keys in memory.
 */
import { randomBytes } from 'node:crypto'
import { link, mkdir, rm } from 'node:fs/promises'
import { createDurably, exists, syncFolder } from '../../core/durable-file.ts'
import { SignerRecords } from '../log/records.ts'
import { KeyTree, newMnemonic } from './key-tree.ts'
import { keystoreText, sealKeystore } from './keystore.ts'
import { openKeys } from './open-keys.ts'
import { prepareOrderKeys } from './order-keys.ts'
import { readPassphrase } from './private-file.ts'
import { type SignerFiles, signerFiles } from './signer-files.ts'

/**
 * Creates, in a data folder, the files that a sandbox's signer needs. Returns the account xpub of its deposit
 * addresses. The keystore gets its final name last. If a run is interrupted before that, the next run
 * continues where it stopped.
 */
export async function prepareSandboxKeys(dataDir: string): Promise<string> {
  const files = signerFiles(dataDir)
  await mkdir(files.folder, { recursive: true, mode: 0o700 })
  await createDurably(files.passphrase, `${randomBytes(32).toString('hex')}\n`)
  await createDurably(files.intentKey, `${randomBytes(32).toString('hex')}\n`)
  await prepareOrderKeys(files)
  if (!(await exists(files.keystore))) {
    const draft = `${files.keystore}.new`
    await makeKeystore(files, draft).catch(async (error: unknown) => {
      // Another process created the keystore first, so its keystore is used.
      if (!(await exists(files.keystore))) throw error
    })
    await rm(draft, { force: true })
  }
  return (await keysIn(files, files.keystore)).depositXpub
}

async function makeKeystore(files: SignerFiles, draft: string): Promise<void> {
  if (!(await exists(draft))) await createDurably(draft, await newKeystore(files))
  await SignerRecords.create(files.log, files.checkpoint, (await keysIn(files, draft)).logKey)
  // link(2) fails if the name exists, so a keystore is never replaced.
  await link(draft, files.keystore)
  await syncFolder(files.folder)
}

/** Returns a new keystore. Its seed has twelve words, because a sandbox never holds anything of value. */
async function newKeystore(files: SignerFiles): Promise<string> {
  const mnemonic = newMnemonic(12)
  const { depositXpub } = new KeyTree(mnemonic, 1)
  const passphrase = await readPassphrase(files.passphrase, 1)
  return keystoreText(await sealKeystore({ mnemonic, passphrase, depositXpub, now: new Date() }))
}

async function keysIn(files: SignerFiles, keystore: string): Promise<KeyTree> {
  return openKeys(keystore, files.passphrase, 1)
}
