import { openChain, openSender } from '../../chains/open-chain.ts'
import type { Log } from '../../core/log.ts'
import { openDb } from '../../db/pool.ts'
import { type Attestation, SignerAwayError } from '../../intents/signer-port.ts'
import { SignerClient } from '../../payouts/signer-client.ts'
import type { ComparedChain } from '../../verify/invariant.ts'
import type { VerifyReport } from '../../verify/report.ts'
import { verify } from '../../verify/verify.ts'
import { withBooksKeyIfThere } from '../keys/open-books-key.ts'
import { openLog } from '../log.ts'
import { readMethods } from '../open-chains.ts'
import { withDatabase } from '../open-database.ts'
import { utxoNodesOf, withRunningNodes } from '../open-utxo-nodes.ts'
import { findRunningNode } from '../running-node.ts'
import { type Config, readConfig } from '../settings/config.ts'
import type { Command, Terminal } from './command.ts'
import { readWords } from './read-words.ts'

export const verifyCommand: Command = {
  name: 'verify',
  summary: 'prove the books: every money invariant, exit 1 when one is broken',
  usage: '',
  help: [
    'Checks every invariant of the ledger, the invoices and the chain, and prints a line for each.',
    'Works beside a running Coffer and on one that is stopped; it writes nothing. With the chain running, credits are',
    'also compared with what the chain itself says, by another path than the one they were found by.',
  ],
  run: async (words, terminal) => {
    readWords(words)
    const config = readConfig(terminal.environment)
    const { ok } = await verifyBooks(config, openLog(config.logLevel), terminal)
    terminal.print(
      ok ? 'The books are right.' : 'The books are NOT right. Stop payouts and look at the lines above.',
    )
    return ok ? 0 : 1
  },
}

/** Checks every invariant beside a running Coffer or on one that is stopped, and prints a line for each. */
export function verifyBooks(
  config: Config,
  log: Log,
  { print, note }: Pick<Terminal, 'print' | 'note'>,
): Promise<VerifyReport> {
  return withDatabase(config, log, async (urls, isRunning) => {
    return withVerifyChains({ config, log, isRunning }, (chains) => {
      if (chains.length === 0) note('The chain is not running: checking the database alone.')
      return check({ config, url: urls.app, chains, log, print })
    })
  })
}

/** Opens the chains to compare books with, for as long as the work takes; none where no Coffer and no node is running. */
export async function withVerifyChains<T>(
  { config, log, isRunning }: { readonly config: Config; readonly log: Log; readonly isRunning: boolean },
  work: (chains: readonly ComparedChain[]) => Promise<T>,
): Promise<T> {
  const opened = isRunning ? await openVerifyChains(config, log) : []
  try {
    return await work(opened.map(({ chain }) => chain))
  } finally {
    await Promise.all(opened.map(({ close }) => close()))
  }
}

async function check(parts: {
  config: Config
  url: string
  chains: readonly ComparedChain[]
  log: Log
  print(line: string): void
}): Promise<VerifyReport> {
  const { config, url, chains, log, print } = parts
  const bare = openDb({ url, connections: 2, log })
  try {
    const db = await withBooksKeyIfThere(config, bare)
    const methods = await readMethods(config, db)
    return await verify({ db, methods, report: print, chains, attested: await askSigner(config) })
  } finally {
    await bare.close()
  }
}

/** Undefined where its socket is not named, as on the host of the API, or where it is away. */
export async function askSigner({ signerSocket }: Config): Promise<Attestation | undefined> {
  if (signerSocket === undefined) return undefined
  const client = new SignerClient(signerSocket)
  try {
    return await client.attest()
  } catch (error) {
    if (error instanceof SignerAwayError) return undefined
    throw error
  } finally {
    await client.close()
  }
}

interface OpenedChain {
  readonly chain: ComparedChain
  close(): Promise<unknown>
}

/** @throws Error where no node of a chain answers, or one of another chain does */
async function openVerifyChains(config: Config, log: Log): Promise<readonly OpenedChain[]> {
  const signal = AbortSignal.timeout(10_000)
  const nodes = { ...(await findRunningNode(config, signal)), log }
  const [reader, sender] = [openChain(nodes), openSender(nodes)]
  const close = () => Promise.all([reader.close(), sender.close()])
  const coins = utxoNodesOf(await withRunningNodes(config)).map((node): OpenedChain => {
    const own = openChain({ ...node, log })
    return { chain: { reader: own, sender: undefined }, close: () => own.close() }
  })
  const opened = [{ chain: { reader, sender }, close }, ...coins]
  if (config.mode === 'production') for (const { chain } of opened) await chain.reader.checkIdentity(signal)
  return opened
}
