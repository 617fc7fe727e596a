/**
 * Two whole Coffers on one PostgreSQL. The first has a development chain and a signer, which the second uses
 * as well. Each of the two, the signer and the chain can be killed and started again.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSecrets } from '../../src/app/keys/generated-secrets.ts'
import { required } from '../../src/core/assert.ts'
import { signerFiles } from '../../src/signer/keys/signer-files.ts'
import {
  kill,
  ownSettings,
  processesIn,
  type RunningCoffer,
  runCoffer,
  type Settings,
  startCoffer,
} from './coffer-process.ts'
import type { DatabaseUrls } from './database.ts'

const victims = ['first', 'second', 'signer', 'both', 'chain'] as const
export type Victim = (typeof victims)[number]

export interface TwoCoffers {
  /** The URL of the chain, whichever process runs it. */
  readonly nodeUrl: string
  /** Returns the URLs of the Coffers that run now. */
  urls(): readonly string[]
  /** Kills the victim with SIGKILL, starts it again and resolves when it is ready. */
  strike(victim: Victim): Promise<void>
  /** Runs a command of the first Coffer. `coffer verify` checks the books of both. */
  run(words: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }>
  /** Returns everything that the processes wrote, to explain a failed test. */
  log(): string
  stop(): Promise<void>
}

const allRoles = 'api,watcher,dispatcher,payouts'

export async function startTwoCoffers(
  urls: Pick<DatabaseUrls, 'app' | 'owner'>,
  dataDirs: { readonly first: string; readonly second: string },
  password: string,
): Promise<TwoCoffers> {
  const shared = {
    DATABASE_URL: urls.app,
    MIGRATION_DATABASE_URL: urls.owner,
    ADMIN_PASSWORD: password,
    JWT_SECRET: 'j'.repeat(32),
    ENCRYPTION_KEY: 'ab'.repeat(32),
  }
  const firstSettings = await ownSettings(dataDirs.first, shared)
  const startFirst = () => startCoffer(firstSettings)
  let first = await startFirst()
  const { nodeUrl } = first
  const secondSettings = {
    ...(await ownSettings(dataDirs.second, shared)),
    ...(await keysOf(dataDirs.first)),
    EVM_RPC_ETHEREUM: nodeUrl,
  }
  const startSecond = () => startCoffer(secondSettings, { words: ['start', '--roles', allRoles] })
  let second = await startSecond()
  const ended: string[] = []
  const end = async (coffer: RunningCoffer) => {
    coffer.signal('SIGKILL')
    await coffer.ended
    ended.push(coffer.stderr)
  }
  const strikeFirst = async () => {
    await end(first)
    first = await startFirst()
  }
  const strikeSecond = async () => {
    await end(second)
    second = await startSecond()
  }
  return {
    nodeUrl,
    urls: () => [first.url, second.url],
    strike: async (victim) => {
      if (victim === 'signer') return killIn(dataDirs.first, 'signer.sock')
      if (victim === 'second') return strikeSecond()
      if (victim === 'chain') killIn(dataDirs.first, 'anvil')
      if (victim === 'both') await Promise.all([strikeFirst(), strikeSecond()])
      else await strikeFirst()
    },
    run: (words) => runCoffer(words, firstSettings),
    log: () => [...ended, first.stderr, second.stderr].join('\n'),
    stop: async () => {
      await second.stop()
      await first.stop()
    },
  }
}

/** Returns the settings that give the second Coffer the first one's deposit xpub and signer. */
export async function keysOf(dataDir: string): Promise<Settings> {
  const { xpubEvm } = required(await readSecrets(dataDir), 'the secrets of the first')
  const { folder, intentKey, orderKey, orderPublicKeys } = signerFiles(dataDir)
  return {
    BOOKS_KEY_FILE: join(dataDir, 'books.key'),
    XPUB_EVM: xpubEvm,
    SIGNER_SOCKET: join(folder, 'signer.sock'),
    INTENT_KEY_FILE: intentKey,
    ORDER_KEY_FILE: orderKey,
    ORDER_PUBLIC_KEYS_FILE: orderPublicKeys,
  }
}

function killIn(dataDir: string, word: string): void {
  for (const pid of processesIn(dataDir)) {
    if (commandOf(pid).includes(word)) kill(pid)
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
